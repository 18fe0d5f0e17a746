package index

import (
	"bytes"

	"agentflow/memory/chunk"
)

// lines finds the lines of a file.
type lines struct {
	data  []byte
	start []int // offset of each line, and of the end of the file
}

func linesOf(data []byte) lines {
	l := lines{data: data, start: []int{0}}
	for at := 0; at < len(data); {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		l.start = append(l.start, at)
	}
	l.start = append(l.start, len(data))
	return l
}

// find returns the offset of a chunk's text in the file, or -1 if the file does
// not contain it verbatim.
func (l lines) find(k chunk.Chunk) int {
	first, end := k.StartLine-1, k.EndLine
	if first < 0 || end >= len(l.start) || first > end {
		return -1
	}
	at := bytes.Index(l.data[l.start[first]:l.start[end]], []byte(k.Text))
	if at < 0 {
		return -1
	}
	return l.start[first] + at
}
