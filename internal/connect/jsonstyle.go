package connect

import (
	"bytes"
	"encoding/json"
	"strings"
)

// lineStart returns the text of a line before at. own reports whether that is only white space
// and not the first line.
func lineStart(text []byte, at int) (indent string, own bool) {
	begin := 1 + bytes.LastIndexByte(text[:at], '\n')
	before := text[begin:at]
	return string(before), begin > 0 && len(bytes.Trim(before, " \t")) == 0
}

// indentOf returns the white space at the beginning of the line of an offset.
func indentOf(text []byte, at int) string {
	begin := 1 + bytes.LastIndexByte(text[:at], '\n')
	end := begin
	for end < at && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[begin:end])
}

// style describes how a file is formatted.
type style struct {
	lines           bool // each member is on a separate line
	spaced          bool // a space follows commas and colons
	newline, indent string
}

func styleOf(text []byte, root *node) style {
	s := style{lines: true, spaced: true, newline: "\n", indent: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(root.members) == 0 {
		return s
	}
	first := root.members[0]
	indent, own := lineStart(text, first.start)
	if own && len(indent) > 0 {
		s.indent = indent
	}
	s.lines = own || bytes.ContainsRune(text[root.start:root.end], '\n')
	s.spaced = s.lines || bytes.ContainsAny(text[root.start:root.end], " ")
	return s
}

func (s style) gap() string {
	if s.spaced {
		return " "
	}
	return ""
}

// member returns a member in the style of the file.
func (s style) member(key string, value any, indent string) string {
	text := s.write(value, indent)
	if key == "" {
		return text
	}
	return quoted(key) + ":" + s.gap() + text
}

// write returns a value as JSON. The lines after the first one are indented.
func (s style) write(value any, indent string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if s.lines {
		encoder.SetIndent(indent, s.indent)
	}
	if err := encoder.Encode(value); err != nil {
		panic(err) // our values can be encoded
	}
	text := strings.TrimSuffix(out.String(), "\n")
	return strings.ReplaceAll(text, "\n", s.newline)
}

// lineComment returns the end of the comments after at on its line, or at if there are none.
func lineComment(text []byte, at int) int {
	end := at
	for i := at; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			i++
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			if line := bytes.IndexByte(rest, '\n'); line >= 0 {
				rest = rest[:line]
			}
			return i + len(bytes.TrimRight(rest, " \t\r"))
		case bytes.HasPrefix(rest, []byte("/*")):
			stop := bytes.Index(rest, []byte("*/"))
			if stop < 0 || bytes.ContainsRune(rest[:stop], '\n') {
				return end
			}
			i += stop + 2
			end = i
			continue
		}
		break
	}
	return end
}
