package executor

import "strings"

// tail keeps the last bytes of a stream, in memory of bounded size.
type tail struct {
	max   int
	buf   []byte // up to twice max, so that moving is rare
	total int64
}

func (t *tail) write(p []byte) {
	t.total += int64(len(p))
	if len(p) > t.max {
		p = p[len(p)-t.max:]
	}
	if len(t.buf)+len(p) > 2*t.max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.max:]...)
	}
	t.buf = append(t.buf, p...)
}

// redacted returns the end of the stream, redacted. When the beginning was
// lost, the text starts sieveAhead later, at a line: half a secret at the
// very front cannot be known for one.
func (t *tail) redacted(redact func(string) string) string {
	if len(t.buf) == 0 {
		return ""
	}
	kept := t.buf[max(0, len(t.buf)-t.max):]
	text := strings.ToValidUTF8(redact(string(kept)), "\uFFFD")
	if t.total <= int64(len(kept)) {
		return text
	}
	text = text[min(len(text), sieveAhead):]
	if _, after, ok := strings.Cut(text, "\n"); ok {
		return after
	}
	return strings.ToValidUTF8(text, "")
}
