package index

import (
	"bytes"
	"path"
	"unicode/utf8"

	"agentflow/index/sources"
	"agentflow/memory"
)

// textOf returns the contents of a file as text of the same length. A power cut
// may leave NULs at the end of a recently written file, so NULs in memory's own
// files count as spaces. Any other file with a NUL in its first 8,000 bytes is
// not text, which is git's rule.
func textOf(f sources.File, data []byte) (text []byte, ok bool) {
	at := bytes.IndexByte(data, 0)
	if at < 0 {
		return data, true
	}
	if f.Included {
		return data, at >= 8000
	}
	text = bytes.ReplaceAll(data, []byte{0}, []byte(" "))
	return text, isMarkdownOfOurs(f.Name) || !isBinary(text)
}

// isMarkdownOfOurs reports whether AgentFlow writes the file: MEMORY.md, or a
// day's file.
func isMarkdownOfOurs(name string) bool {
	base := path.Base(name)
	_, day := memory.DayOf(base)
	return day || base == memory.LastingFile
}

// isBinary reports whether a text that held NULs also holds bytes that do not
// occur in text.
func isBinary(text []byte) bool {
	return !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' })
}
