package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
)

// Span is a part of a text that matches a query: bytes [Start, End), on rune
// boundaries.
type Span struct {
	Start, End int
	Term       int // index of the term among the query's distinct terms, from 0
}

// Highlighter returns a function that finds the parts of a text that a search
// for query matches: words by their stem, identifiers by their parts, CJK text
// by its bigrams. The spans are in order and do not overlap. Several goroutines
// may use the function.
func Highlighter(query string) func(text string) []Span {
	terms := map[uint32]int{}
	for i, t := range rank.Terms(rank.Beginning(query, DefaultRanking().QueryRunes)) {
		terms[t.Hash] = i
	}
	return func(text string) (spans []Span) {
		folded, from := foldPlaced(text)
		last := 0
		for _, token := range words.Scan(folded) {
			term, ok := terms[stems.Hash(words.Stem(token.Text))]
			if !ok || token.To == 0 {
				continue
			}
			start, end := max(from[token.From].start, last), from[token.To-1].end
			if start < end {
				spans = append(spans, Span{start, end, term})
				last = end
			}
		}
		return spans
	}
}

type byteRange struct{ start, end int }

// foldPlaced folds a text cluster by cluster: a rune with the marks and Hangul
// jamo that compose with it. For each byte of the result, from holds the
// stretch of s that produced it.
func foldPlaced(s string) (folded string, from []byteRange) {
	var b strings.Builder
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
			from = append(from, byteRange{i, end})
		}
		i = end
	}
	return b.String(), from
}
