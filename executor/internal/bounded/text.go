// Package bounded redacts text of any length, and keeps the parts that fit a limit.
package bounded

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"agentflow/executor/agent"
)

// Sizes of the streamRedactor, in bytes. One call of redaction covers a window and the
// LookAhead after it, so a secret up to LookAhead long is never cut in two. Windows overlap by
// at least LookAhead. While more text is waiting they are longer, which takes a quarter less
// time.
const (
	LookAhead     = 16 << 10
	window        = agent.MaxMessage
	longestWindow = 4 * window
)

// StreamRedactor redacts a stream of text in pieces of bounded size, and each byte once except
// for the overlaps. The concatenated pieces are the redacted text.
type StreamRedactor struct {
	Redact func(string) string
	Emit   func(piece string)
	Waits  func() bool // whether more text is waiting; nil: unknown
	buf    []byte
}

// Write redacts more of the text.
func (s *StreamRedactor) Write(p string) {
	for len(p) > 0 {
		n := min(len(p), window-len(s.buf)%window)
		s.buf = append(s.buf, p[:n]...)
		p = p[n:]
		if full := len(s.buf)%window == 0; full && (len(s.buf) >= longestWindow || s.Waits == nil || !s.Waits()) {
			s.cut()
		}
	}
}

// Flush emits the text that is waiting. The text that follows is redacted separately.
func (s *StreamRedactor) Flush() {
	if len(s.buf) > 0 {
		s.pass(s.Redact(string(s.buf)))
		s.buf = s.buf[:0]
	}
}

// FlushLines emits the complete lines that are waiting. An unfinished line stays, because it
// may end in half a secret.
func (s *StreamRedactor) FlushLines() {
	at := bytes.LastIndexByte(s.buf, '\n') + 1
	if at > 0 {
		s.pass(s.Redact(string(s.buf[:at])))
		s.buf = append(s.buf[:0], s.buf[at:]...)
	}
}

// cut emits the beginning of the window. A good place to cut is in the end of the window that
// redaction left unchanged: the text before that was redacted as a whole, and the text after
// the cut is redacted again. If that end is short, a secret may continue beyond the window.
func (s *StreamRedactor) cut() {
	text := string(s.buf)
	redacted := s.Redact(text)
	untouched := commonSuffix(text, redacted)
	at, rest := -1, 0 // rest is the number of bytes at the end of redacted that stay in the window
	if untouched < windowEnd {
		at, rest = s.cutBefore(text, redacted)
	}
	if at < 0 {
		at = max(len(text)-LookAhead, len(text)-untouched)
		at += boundary(s.buf[at:])
		rest = len(text) - at
	}
	s.pass(redacted[:len(redacted)-rest])
	s.buf = append(s.buf[:0], text[at:]...)
}

// windowEnd counts the bytes at a window's end that redaction must leave unchanged. Then
// no secret continues beyond the window, except a longer one.
const windowEnd = 8 << 10

// cutBefore returns a place before the secrets at the window's end. There the text after the
// place, redacted separately, equals the end of redacted, its last rest bytes. It returns -1 if
// there is none.
func (s *StreamRedactor) cutBefore(text, redacted string) (at, rest int) {
	keep := len(text) - LookAhead
	for _, before := range []int{keep, keep - windowEnd, keep / 2} {
		for _, ends := range []string{"\n", " \t,;"} {
			at := strings.LastIndexAny(text[:before], ends) + 1
			if at < keep/4 {
				continue
			}
			if behind := s.Redact(text[at:]); strings.HasSuffix(redacted, behind) {
				return at, len(behind)
			}
			break
		}
	}
	return -1, 0
}

// pass emits redacted text in messages of bounded size.
func (s *StreamRedactor) pass(text string) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for len(text) > 0 {
		piece := agent.ClipBytes(text, agent.MaxMessage)
		text = text[len(piece):]
		s.Emit(piece)
	}
}

// boundary returns the place to cut in the text after the earliest possible cut: after a line,
// or otherwise before a rune.
func boundary(behind []byte) int {
	near := behind[:min(len(behind), LookAhead/4)]
	if at := bytes.IndexByte(near, '\n'); at >= 0 {
		return at + 1
	}
	for at := range min(len(near), utf8.UTFMax) {
		if utf8.RuneStart(near[at]) {
			return at
		}
	}
	return 0
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// RedactBounded redacts one message and then cuts it to max bytes. Redaction also sees the text
// just after the cut.
func RedactBounded(redact func(string) string, text string, max int) string {
	if text == "" {
		return ""
	}
	redacted := redact(agent.ClipBytes(text, max+LookAhead))
	return agent.ClipBytes(strings.ToValidUTF8(redacted, "\uFFFD"), max)
}

// Withheld replaces all text if there is no redaction.
func Withheld(string) string { return "(text withheld)" }

// Tail keeps the last bytes of a stream, in memory of bounded size.
type Tail struct {
	Max   int
	buf   []byte // up to twice max, so that moving is rare
	Total int64
}

// Write appends text, and drops the beginning of the stream beyond the limit.
func (t *Tail) Write(p string) {
	t.Total += int64(len(p))
	if len(p) > t.Max {
		p = p[len(p)-t.Max:]
	}
	if len(t.buf)+len(p) > 2*t.Max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.Max:]...)
	}
	t.buf = append(t.buf, p...)
}

// Redacted returns the end of the stream, redacted. If the beginning was lost, the text starts
// LookAhead later, at a line, because half a secret at the start cannot be recognised.
func (t *Tail) Redacted(redact func(string) string) string {
	if len(t.buf) == 0 {
		return ""
	}
	kept := t.buf[max(0, len(t.buf)-t.Max):]
	text := strings.ToValidUTF8(redact(string(kept)), "\uFFFD")
	if t.Total <= int64(len(kept)) {
		return text
	}
	text = text[min(len(text), LookAhead):]
	if _, after, ok := strings.Cut(text, "\n"); ok {
		return after
	}
	return strings.ToValidUTF8(text, "")
}

// ClipTail returns the end of text, at most max runes, from the start of a line or otherwise of
// a word.
func ClipTail(text string, max int) string {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n <= max {
		return text
	}
	cut := string([]rune(text)[n-max+1:])
	for _, ends := range []string{"\n", " \t"} {
		if at := strings.IndexAny(cut, ends); at >= 0 && at < len(cut)/2 {
			return "…" + strings.TrimLeft(cut[at:], " \n\t")
		}
	}
	return "…" + cut
}

// LastLines returns the last n lines of text.
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
