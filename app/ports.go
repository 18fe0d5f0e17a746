package app

// AppendError appends the text of an error, unless the error is nil.
func AppendError(lines []string, err error) []string {
	if err != nil {
		return append(lines, err.Error())
	}
	return lines
}
