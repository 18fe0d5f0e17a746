package question

import (
	"cmp"
	"slices"
	"strings"
)

// Weights of a symbol: see Symbol.
const (
	oftenWeight = 1.5
	titleWeight = 2
)

// minSymbol rejects shorter symbols.
const minSymbol = 3

// symbols returns the identifiers of a text: words with '_' or an inner capital, before '(',
// behind '.', and in backticks. The heaviest come first.
func symbols(text string) []Symbol {
	title := max(0, strings.IndexByte(text+"\n", '\n'))
	type seen struct {
		count        int
		titled, sure bool
	}
	found := map[string]*seen{}
	var names []string
	for i := 0; i < len(text); {
		if !isLetter(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if word := text[i:end]; len(word) >= minSymbol && (word[0] < '0' || word[0] > '9') {
			s := found[word]
			if s == nil {
				s = &seen{}
				found[word] = s
				names = append(names, word)
			}
			s.count++
			s.titled = s.titled || i < title
			s.sure = s.sure || isIdentifier(word) || isMarked(text, i, end)
		}
		i = end
	}
	var list []Symbol
	for _, name := range names {
		if s := found[name]; s.sure {
			w := 1.0
			if s.count > 1 {
				w *= oftenWeight
			}
			if s.titled {
				w *= titleWeight
			}
			list = append(list, Symbol{name, w})
		}
	}
	slices.SortStableFunc(list, func(a, b Symbol) int { return cmp.Compare(b.Weight, a.Weight) })
	return list[:min(len(list), maxSymbols)]
}

// isIdentifier reports whether a word has '_' or an inner capital.
func isIdentifier(word string) bool {
	for i := 1; i < len(word); i++ {
		if word[i] == '_' && i < len(word)-1 || 'A' <= word[i] && word[i] <= 'Z' && 'a' <= word[i-1] && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// isMarked reports whether the text around a word makes it an identifier.
func isMarked(text string, from, to int) bool {
	before, after := byte(0), byte(0)
	if from > 0 {
		before = text[from-1]
	}
	if to < len(text) {
		after = text[to]
	}
	return after == '(' || before == '`' && after == '`' || before == '.' && from > 1 && isLetter(text[from-2])
}
