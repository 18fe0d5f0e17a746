package consolidate

import (
	"bytes"
)

// lineOffset returns the offset at which line n of a text begins, counted from 0.
func lineOffset(text []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

func fullLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// blankLine adds a blank line at the end of a text, unless it ends with one.
func blankLine(text []byte) []byte {
	text = fullLine(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n\n")) && !bytes.HasSuffix(text, []byte("\n\r\n")) {
		text = append(text, '\n')
	}
	return text
}
