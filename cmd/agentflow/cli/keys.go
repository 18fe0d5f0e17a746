package cli

import (
	"io"
	"unicode"
	"unicode/utf8"
)

// Keys that are not letters: Ctrl-C, the end of the input, and the arrows.
const (
	InterruptKey = '\x03'
	EndKey       = '\x04'
	escapeKey    = '\x1b'
	UpKey        = '↑'
	DownKey      = '↓'
)

// readKey reads one key of a terminal in raw mode and returns it in lower case, endKey at the
// end of the input and 0 for a key without a meaning here. It reads no byte of the next key.
// The escape key by itself does nothing: the key that follows it counts.
func readKey(in io.Reader) rune {
	b := readByte(in)
	if b == escapeKey {
		if b = readByte(in); b == '[' || b == 'O' {
			return arrow(in)
		}
	}
	text := []byte{b}
	for len(text) < utf8.UTFMax && !utf8.FullRune(text) {
		text = append(text, readByte(in))
	}
	r, _ := utf8.DecodeRune(text)
	return unicode.ToLower(r)
}

// arrow reads the rest of an escape sequence (ECMA-48, 5.4) up to its last byte.
func arrow(in io.Reader) rune {
	plain := true
	for {
		switch b := readByte(in); {
		case b == EndKey:
			return EndKey
		case plain && b == 'A':
			return UpKey
		case plain && b == 'B':
			return DownKey
		case b >= '@':
			return 0
		}
		plain = false
	}
}

// readByte returns the next byte, or endKey if there is none.
func readByte(in io.Reader) byte {
	b := []byte{EndKey}
	_, _ = in.Read(b) // an error is the end
	return b[0]
}
