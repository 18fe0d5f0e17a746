package prompt

import "strings"

// fence is the code fence that lines are in, read one after the other: what
// opened it, or nothing.
type fence string

// holds says whether the next line is of a fence; those that open and close
// it are.
func (f *fence) holds(line string) bool {
	text := strings.TrimSpace(line)
	open := string(*f)
	switch {
	case open == "":
		*f = fence(fenceOf(text))
		return *f != ""
	case strings.HasPrefix(text, open) && strings.Trim(text, open[:1]) == "":
		*f = ""
	}
	return true
}

// fenceOf returns the fence that a line opens, or "".
func fenceOf(text string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(text, mark) {
			return text[:len(text)-len(strings.TrimLeft(text, mark[:1]))]
		}
	}
	return ""
}
