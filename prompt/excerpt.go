package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/memory"
	"agentflow/memory/trailer"
)

// reasons returns sentences of a text with more information than a title, in at most so many
// characters. If not all fit, those that say what changed or why come before the others.
func reasons(text, title string, limit int) string {
	list := adding(sentencesOf(prose(text)), title)
	if len(list) == 0 {
		return ""
	}
	if !strings.Contains(text, asked) {
		return excerpt(list, limit)
	}
	why := beginning(list, limit)
	if at := strings.LastIndex(why, asked); at >= 0 && !strings.Contains(why[at+len(asked):], `"`) {
		return why + `"`
	}
	return why
}

// asked begins the words of a person in a summary. Sentences among them cannot be left out: the
// words that follow would seem to be the person's.
const asked = `Asked: "`

// adding leaves out the first sentences that add nothing to a title, and sentences that only refer.
func adding(sentences []string, title string) []string {
	said := saidBy(title)
	var list []string
	for _, s := range sentences {
		if trailer.Refers(s) || len(list) == 0 && adds(s, said) == 0 {
			continue
		}
		list = append(list, s)
	}
	return list
}

// beginning returns the first sentences that fit in so many characters, at least the beginning of
// the first one.
func beginning(sentences []string, limit int) string {
	text := memory.Head(sentences[0], limit)
	for _, s := range sentences[1:] {
		if len(text)+len(s)+1 > limit {
			break
		}
		text += " " + s
	}
	return text
}

// excerpt returns the sentences that fit in so many characters, in their order. The first is the first
// one that does not say how something was. Then come those that say what changed or why, each
// with the sentences that it is about, and then others that follow directly on these.
func excerpt(sentences []string, limit int) string {
	if text := strings.Join(sentences, " "); len(text) <= limit {
		return text
	}
	first := max(slices.IndexFunc(sentences, func(s string) bool { return !wasSo().MatchString(s) }), 0)
	taken, size := map[int]bool{first: true}, len(sentences[first])
	take := func(wanted func(i int) bool) {
		for i := range sentences {
			if with, more := needed(sentences, i, taken); wanted(i) && size+more <= limit {
				size += more
				for _, j := range with {
					taken[j] = true
				}
			}
		}
	}
	take(func(i int) bool { return newOrWhy().MatchString(sentences[i]) && !wasSo().MatchString(sentences[i]) })
	take(func(i int) bool { return taken[i-1] })
	var list []string
	for i, s := range sentences {
		if taken[i] {
			list = append(list, s)
		}
	}
	return memory.Head(strings.Join(list, " "), limit)
}

// needed returns a sentence with those before it that it needs and that were not taken, and
// their characters.
func needed(sentences []string, i int, taken map[int]bool) (with []int, size int) {
	for ; i >= 0 && !taken[i]; i-- {
		with, size = append(with, i), size+1+len(sentences[i])
		if !depends().MatchString(sentences[i]) && strings.Count(sentences[i], " ") > 3 {
			break
		}
	}
	return with, size
}

// Sentences that say how something was, those that say what changed or why, and those about the
// sentence before them.
var (
	wasSo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(before|previously|formerly|until now)\b|\bused to\b`)
	})
	newOrWhy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i), so (?-i:[a-z])|\bsince (?-i:[a-z` + "`" + `])|\b(now|no longer|instead|rather than|because|so that|otherwise|due to|(add|remov|delet|chang|renam|replac|mov|fix|introduc|extract|switch|dropp|creat)ed|avoid(s|ed)?|prevent(s|ed)?|ensures?)\b`)
	})
	depends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(It|Its|This|That|They|Their|These|Those|Both|Each|Otherwise|Also|But|So|Then|And|Thus|Therefore|Hence|Instead|However|Neither|Here|Which|None|Not|Such|One|\w+ such)\b`)
	})
)
