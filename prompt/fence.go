package prompt

import "strings"

// fence is the code fence around the current line of a text: the marker that
// opened it, or nothing.
type fence string

// holds reports whether the next line belongs to a fence, including the lines that open and
// close it.
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
