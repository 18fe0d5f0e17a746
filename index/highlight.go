package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
)

// Span is a stretch of a text that matches a query: bytes [Start, End), on
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
	return func(text string) (spans []Span) {
		f := foldPlaced(text)
		last := 0
		for _, token := range words.Scan(f.text) {
			term, ok := terms[stems.Hash(words.Stem(token.Text))]
			if !ok || token.To == 0 {
				continue
			}
			start, end := f.source(token.From, token.To)
			if start = max(start, last); start < end {
				spans = append(spans, Span{start, end, term})
				last = end
			}
		}
		return spans
	}
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
