package index

import (
	"bytes"
	"path"
	"unicode/utf8"

	"agentflow/index/sources"
	"agentflow/memory"
)

// textOf is the contents of a file as text, of the same length. A power cut may leave NULs at
// the end of a file that was written last: in memory's own files they count as spaces.
// Elsewhere a file with NULs near its beginning is no text, as for git.
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

// isMarkdownOfOurs says whether a file is one that AgentFlow writes: MEMORY.md, or a day's.
func isMarkdownOfOurs(name string) bool {
	base := path.Base(name)
	_, day := memory.DayOf(base)
	return day || base == memory.LastingFile
}

// isBinary says whether a text that held NULs holds other bytes that no text has.
func isBinary(text []byte) bool {
	return !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' })
}
