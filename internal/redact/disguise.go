package redact

import (
	"sort"
	"strings"
	"unicode/utf8"

	"agentflow/internal/invisible"
)

// plain is a text as a reader sees it: without escape sequences and invisible
// characters, and with ASCII instead of full-width letters.
type plain struct {
	text  string
	skips []skip // in order
}

// skip records that the plain text from at on is shift bytes further on in the
// original text.
type skip struct {
	at, shift int
	stands    bool // the byte before at replaces a longer one in the original
}

// undisguised returns s as a reader sees it; ok is false if s has no disguise.
func undisguised(s string) (p plain, ok bool) {
	at := nextDisguise(s, 0)
	if at == len(s) {
		return p, false
	}
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for ; at < len(s); at = nextDisguise(s, at) {
		b.WriteString(s[from:at])
		n, c := disguise(s, at)
		if c != 0 {
			b.WriteByte(c)
		}
		at += n
		from = at
		p.skips = append(p.skips, skip{b.Len(), from - b.Len(), c != 0})
	}
	b.WriteString(s[from:])
	p.text = b.String()
	return p, true
}

// ordinary holds the bytes with which no disguise begins.
var ordinary = func() (set [256]bool) {
	for c := range set {
		text := c >= ' ' && c < 0x7f && c != '\\' || c == '\n' || c == '\t' || c == '\r'
		set[c] = text || c > 0x7f && !utf8.RuneStart(byte(c))
	}
	return set
}()

// nextDisguise returns where the next disguise begins at or after i, or len(s).
func nextDisguise(s string, i int) int {
	for ; i < len(s); i++ {
		if ordinary[s[i]] {
			continue
		}
		if n, _ := disguise(s, i); n > 0 {
			return i
		}
	}
	return len(s)
}

// disguise returns the length of the disguise at i, or 0 if there is none, and
// the character that it represents, if any.
func disguise(s string, i int) (n int, c byte) {
	if s[i] == '\\' {
		return escapedSequence(s[i:]), 0
	}
	if n := invisible.Escape(s[i:]); n > 0 {
		return n, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	const fullWidth, ascii = '！', '!'
	switch {
	case r >= fullWidth && r <= fullWidth+'~'-ascii:
		return n, byte(r - fullWidth + ascii)
	case r == '\u3000':
		return n, ' '
	case r != '\r' && r != utf8.RuneError && invisible.Rune(r):
		return n, 0
	}
	return 0, 0
}

// escapedSequence returns the length of an escape sequence that is written in a
// string of JSON or code, such as \u001b[31m.
func escapedSequence(s string) int {
	for _, esc := range []string{`\u001b[`, `\u001B[`, `\x1b[`, `\x1B[`, `\033[`, `\e[`} {
		if strings.HasPrefix(s, esc) {
			n := len(esc) - 1
			return n - 1 + invisible.Escape("\x1b"+s[n:min(len(s), n+32)])
		}
	}
	return 0
}

// original converts spans of the plain text to spans of the original text.
func (p *plain) original(found []span) {
	for n := range found {
		found[n].start += p.shift(found[n].start, true)
		found[n].end += p.shift(found[n].end, false)
	}
}

// shift returns how much further on an offset of the plain text is in the
// original: after the hidden text at that offset if behind is set, otherwise
// before it.
func (p *plain) shift(at int, behind bool) int {
	n := sort.Search(len(p.skips), func(n int) bool {
		k := p.skips[n]
		return k.at > at || k.at == at && !k.stands && !behind
	})
	if n == 0 {
		return 0
	}
	return p.skips[n-1].shift
}
