package executor

import "bytes"

// maxLine is the longest protocol line that is decoded. Tool results with
// images make lines of some megabytes; a longer one is skipped, so that
// memory stays bounded.
const maxLine = 16 << 20

// lineSplitter cuts a stream into lines without their ends, whatever pieces
// it comes in.
type lineSplitter struct {
	buf  []byte
	skip bool // inside a line longer than maxLine
}

// feed calls each for every line that p completes. The line is only valid
// during the call; huge stands for a skipped line.
func (l *lineSplitter) feed(p []byte, each func(line []byte, huge bool)) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.hold(p)
			return
		}
		line := p[:end]
		p = p[end+1:]
		if len(l.buf) > 0 || l.skip {
			l.hold(line)
			line = l.buf
		}
		huge := l.skip || len(line) > maxLine
		if huge {
			line = nil
		}
		each(line, huge)
		l.reset()
	}
}

// rest returns the line that never ended.
func (l *lineSplitter) rest() []byte { return l.buf }

func (l *lineSplitter) hold(p []byte) {
	if l.skip || len(l.buf)+len(p) > maxLine {
		l.skip, l.buf = true, nil
		return
	}
	l.buf = append(l.buf, p...)
}

func (l *lineSplitter) reset() {
	l.skip = false
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	l.buf = l.buf[:0]
}
