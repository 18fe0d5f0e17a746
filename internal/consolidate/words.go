package consolidate

import (
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/words"
	"agentflow/memory"
)

// negates reverse the meaning of a sentence.
var negates = set("not never no none nothing nobody neither nor without except only unless hardly cannot always " +
	"不 没 無 无 未 非 勿 别")

// turns change the meaning of a sentence when one of them replaces another.
var turns = set("all any every each some many most few both either before after until since above below over under more less " +
	"must may might should can could will shall need on off in out up down true false yes enable disable enabled disabled")

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// decides reports whether a word is a number, an identifier or one of the words that change the
// meaning of a sentence.
func decides(w string) bool {
	return negates[w] || turns[w] || words.IsExact(w) || strings.ContainsFunc(w, unicode.IsDigit)
}

// leastKept is the minimum share of a fact's words that a merged text must have: it may leave
// out phrases, not subjects.
const leastKept = 0.6

// nearby limits the distance, in words, between a word of negates or turns and the word to
// which it applies.
const nearby = 3

// keepsAll returns an error if a merged text says less, more or something else than its facts.
// It compares words. The text must have each word of a fact that decides its meaning or is a
// name, near the word to which it applies. It may not have such a word that no fact has.
func keepsAll(text string, sources []string) error {
	list := wordsOf(text)
	have := set(strings.Join(list, " "))
	stems := contentStems(text)
	given, givenStems := map[string]bool{}, map[string]bool{}
	for _, source := range sources {
		sourceWords := wordsOf(source)
		for i, w := range sourceWords {
			given[w] = true
			if !binds(w) {
				continue
			}
			if !have[w] {
				return fmt.Errorf("it loses %q", w)
			}
			if by := belongs(sourceWords, i); by != "" && !isNear(list, w, by) {
				return fmt.Errorf("it takes %q away from %q", w, by)
			}
		}
		for _, name := range properNames(source) {
			if !have[name] {
				return fmt.Errorf("it loses %q", name)
			}
		}
		content := contentStems(source)
		maps.Copy(givenStems, content)
		if float64(shared(content, stems)) < leastKept*float64(len(content)) {
			return fmt.Errorf("it leaves out what %q says", oneLine(source))
		}
	}
	for _, w := range list {
		switch {
		case given[w]:
		case binds(w):
			return fmt.Errorf("it adds %q", w)
		case !words.IsStopword(w) && !givenStems[words.Stem(w)]:
			return fmt.Errorf("it adds %q", w)
		}
	}
	return nil
}

// loose are words that decide between two short facts, but that many paraphrases do not share.
var loose = set("on in out up down need will")

// binds reports whether a merged text must have the word if and only if one of its facts has
// it.
func binds(w string) bool { return decides(w) && !loose[w] }

func wordsOf(text string) []string { return strings.Fields(memory.Same(text)) }

// contentStems returns the stems of a text's words, without stop words.
func contentStems(text string) map[string]bool {
	stems := map[string]bool{}
	for _, w := range wordsOf(text) {
		if !words.IsStopword(w) {
			stems[words.Stem(w)] = true
		}
	}
	return stems
}

func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// belongs returns the stem of the word to which word i applies: the next content word, or else
// the last one before it.
func belongs(list []string, i int) string {
	says := func(w string) bool { return !words.IsStopword(w) && !decides(w) }
	for _, w := range list[i+1:] {
		if says(w) {
			return words.Stem(w)
		}
	}
	for k := i - 1; k >= 0; k-- {
		if says(list[k]) {
			return words.Stem(list[k])
		}
	}
	return ""
}

// isNear reports whether a word is near another one with this stem.
func isNear(list []string, w, stem string) bool {
	for i, have := range list {
		if have != w {
			continue
		}
		for k := max(0, i-nearby); k <= min(len(list)-1, i+nearby); k++ {
			if words.Stem(list[k]) == stem {
				return true
			}
		}
	}
	return false
}

// properNames returns the words of a text that begin with a capital letter and do not begin a
// sentence, in lower case.
func properNames(text string) []string {
	var names []string
	begins := true
	for _, w := range strings.Fields(text) {
		bare, _ := words.Bare(w)
		first, _ := utf8.DecodeRuneInString(bare)
		if !begins && unicode.IsUpper(first) && !words.IsExact(bare) {
			names = append(names, strings.Split(strings.ToLower(bare), "-")...)
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?:")
	}
	return names
}
