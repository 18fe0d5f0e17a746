package rank

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// beforeTitle matches the date and time in the heading of an entry, and pullNumber the number of a
// pull request after the title.
var (
	beforeTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d\d-\d\d(.*? · | \d\d:\d\d )`) })
	pullNumber  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(#\d+\)`) })
)

// TitleStems returns the hashes of the distinct informative stems in the title of an entry, from its
// heading.
func TitleStems(heading string) (list []uint32) {
	title, _, _ := strings.Cut(heading, " > ")
	title = pullNumber().ReplaceAllString(beforeTitle().ReplaceAllString(title, ""), "")
	for _, token := range words.WithoutChatter(words.Tokenize(title)) {
		stem := stems.Hash(words.Stem(token.Text))
		if !words.IsShortNumber(token.Text) && !slices.Contains(list, stem) {
			list = append(list, stem)
		}
	}
	return list
}

// TitleShare returns the share of a title's stems that a task has, by their weight: 0 to 1.
func TitleShare(title []uint32, task map[uint32]bool, weight func(stem uint32) float64) float64 {
	all, held := 0.0, 0.0
	for _, stem := range title {
		w := weight(stem)
		all += w
		if task[stem] {
			held += w
		}
	}
	return share(held, all)
}
