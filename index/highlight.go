package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
)

// Span is a stretch of a text that a query asks for: bytes [Start, End), on
// the borders of runes.
type Span struct {
	Start, End int
	Term       int // which of the query's distinct terms, from 0
}

// Highlighter returns a function that finds what a search for query matches
// in a text: words by their stem, identifiers by their parts, CJK text by its
// bigrams. The spans are in order and do not overlap. The function may be
// used by several goroutines.
func Highlighter(query string) func(text string) []Span {
	terms := map[uint32]int{}
	for i, t := range rank.Terms(rank.Beginning(query, DefaultRanking().QueryRunes)) {
		terms[t.Hash] = i
	}
	return func(text string) []Span {
		m := marker{terms: terms, folded: foldPlaced(text)}
		m.scan()
		return m.spans
	}
}

// marker walks a text as scan does, and knows where it is.
type marker struct {
	folded
	terms map[uint32]int
	spans []Span
}

func (m *marker) scan() {
	for i := 0; i < len(m.text); {
		r, n := utf8.DecodeRuneInString(m.text[i:])
		switch {
		case words.IsUnspaced(r):
			end := m.run(i, words.IsUnspaced)
			m.bigrams(i, end)
			i = end
		case words.IsWord(r):
			end := m.run(i, func(r rune) bool { return words.IsWord(r) && !words.IsUnspaced(r) })
			m.word(i, end)
			i = end
		default:
			i += n
		}
	}
}

// run is the end of the runes from i on that are in.
func (m *marker) run(i int, in func(rune) bool) int {
	for i < len(m.text) {
		r, n := utf8.DecodeRuneInString(m.text[i:])
		if !in(r) {
			break
		}
		i += n
	}
	return i
}

// word marks a word, or the parts of an identifier.
func (m *marker) word(from, to int) {
	for from < to && m.text[from] == '_' {
		from++
	}
	for from < to && m.text[to-1] == '_' {
		to--
	}
	if from == to || to-from > words.MaxWord || m.mark(from, to) {
		return
	}
	for _, part := range words.Parts(m.text[from:to]) {
		from += strings.Index(m.text[from:to], part)
		m.mark(from, from+len(part))
		from += len(part)
	}
}

func (m *marker) bigrams(from, to int) {
	_, n := utf8.DecodeRuneInString(m.text[from:])
	if from+n == to {
		m.mark(from, to)
	}
	for from+n < to {
		_, next := utf8.DecodeRuneInString(m.text[from+n:])
		m.mark(from, from+n+next)
		from, n = from+n, next
	}
}

// mark adds the span of a token that the query has.
func (m *marker) mark(from, to int) bool {
	term, ok := m.terms[stems.Hash(words.Stem(strings.ToLower(m.text[from:to])))]
	if !ok {
		return false
	}
	start, end := m.source(from, to)
	if n := len(m.spans); n > 0 {
		start = max(start, m.spans[n-1].End)
	}
	if start < end {
		m.spans = append(m.spans, Span{start, end, term})
	}
	return true
}

// folded is a folded text that knows for each byte which bytes of the text it
// comes from.
type folded struct {
	text string
	from []stretch // nil: as it stands
}

type stretch struct{ start, end int }

func (f folded) source(from, to int) (start, end int) {
	if f.from == nil {
		return from, to
	}
	return f.from[from].start, f.from[to-1].end
}

// foldPlaced folds a text a cluster at a time: a rune with the marks and
// Hangul jamo that compose with it.
func foldPlaced(s string) folded {
	if words.IsASCII(s) {
		return folded{text: s}
	}
	var b strings.Builder
	var from []stretch
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		end := i + n
		for end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if !unicode.Is(unicode.Mn, r) && (r < 0x1160 || r > 0x11FF) {
				break
			}
			end += n
		}
		part := words.Fold(s[i:end])
		b.WriteString(part)
		for range len(part) {
			from = append(from, stretch{i, end})
		}
		i = end
	}
	return folded{b.String(), from}
}
