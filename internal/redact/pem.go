package redact

import "strings"

// pemWord stands in every marker of a private key.
const pemWord = "private key"

// pemMark is a line such as "-----BEGIN RSA PRIVATE KEY-----".
type pemMark struct {
	start, end int
	begin      bool
	quoted     bool // stands alone between quotes: code that looks for keys
}

// pemMarkAt returns the marker around pemWord at start to end. A text cut
// inside a marker's dashes still begins or ends with one.
func pemMarkAt(s string, start, end int) (m pemMark, ok bool) {
	const longest = 112 // bytes before the word
	from := max(0, start-longest)
	before := strings.ToUpper(s[from:start])
	if len(before) != start-from {
		return m, false // not ASCII
	}
	begin, finish := strings.LastIndex(before, "-----BEGIN"), strings.LastIndex(before, "-----END")
	if begin < 0 && finish < 0 && from == 0 {
		if cut := strings.TrimLeft(before, "-"); strings.HasPrefix(cut, "BEGIN") {
			begin = 0
		} else if strings.HasPrefix(cut, "END") {
			finish = 0
		}
	}
	at := max(begin, finish)
	if at < 0 || strings.Trim(before[at:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ -") != "" {
		return m, false
	}
	m.begin, m.start, m.end = begin > finish, from+at, end
	if rest := s[end:]; len(rest) >= 6 && strings.EqualFold(rest[:6], " BLOCK") {
		m.end += 6
	}
	dashes := m.end
	for m.end < len(s) && m.end-dashes < 5 && s[m.end] == '-' {
		m.end++
	}
	if m.end-dashes < 5 && m.end < len(s) {
		return m, false
	}
	m.quoted = m.start > 0 && isQuote(s[m.start-1]) && m.end < len(s) && isQuote(s[m.end])
	return m, true
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// keySpans returns the private keys between markers, which are in order. A
// key without an end reaches to the end of the text, one without a beginning
// starts where the text, or the key before it, does.
func keySpans(s string, marks []pemMark) []span {
	var found []span
	open, last := -1, 0
	for _, m := range marks {
		switch {
		case m.quoted:
		case m.begin && open < 0:
			open = m.start
		case !m.begin:
			if open < 0 {
				open = last
			}
			found = append(found, span{open, m.end, "private-key"})
			open, last = -1, m.end
		}
	}
	if open >= 0 {
		found = append(found, span{open, len(s), "private-key"})
	}
	return found
}
