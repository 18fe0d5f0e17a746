// Package tasklist splits texts that request work: a list of tasks, and a line
// of arguments. It is pure.
package tasklist

import (
	"strings"
	"unicode"
)

// Split splits a list of tasks. If it has lines of ---, each text between them
// is one task, verbatim. Otherwise each line is one task, except empty lines
// and comments, which begin with #.
func Split(text string) []string {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	var blocks, single []string
	block, divided := []string{}, false
	end := func() {
		if whole := strings.Trim(strings.Join(block, "\n"), "\n"); strings.TrimSpace(whole) != "" {
			blocks = append(blocks, whole)
		}
		block = block[:0]
	}
	for _, line := range lines {
		if strings.TrimRight(line, " \t") == "---" {
			divided = true
			end()
			continue
		}
		block = append(block, line)
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			single = append(single, line)
		}
	}
	end()
	if divided {
		return blocks
	}
	return single
}

// Uncommented cleans a text from an editor like "git commit": it removes lines
// that begin with #, blanks at the ends of lines, empty lines at the beginning
// and end, and all but one of several empty lines in a row.
func Uncommented(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if line = strings.TrimRightFunc(line, unicode.IsSpace); strings.HasPrefix(line, "#") ||
			line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Words splits a line at blanks, except within quotation marks. closed is false
// if a quotation mark is not closed.
func Words(line string) (words []string, closed bool) {
	var word strings.Builder
	var quote rune
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !begun:
			quote, begun = r, true
		case unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words, quote == 0
}
