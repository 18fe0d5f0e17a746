package explain

import (
	"strings"
	"unicode"
)

// Discusses reports whether an answer is worth an entry though nothing changed: it decides or
// explains something. A greeting, a refusal and questions to the user do not, nor does an
// answer that only repeats known, the texts of memory that the agent was given.
func Discusses(answer string, known []string) bool {
	if refuses().MatchString(answer) {
		return false
	}
	held := wordSet(known)
	var kept []string
	for _, s := range units(answer) {
		if !strings.HasSuffix(s.text, "?") && !repeats(s.text, held) {
			kept = append(kept, s.text)
		}
	}
	return Explains(strings.Join(kept, " "))
}

// mostly is the share of its words that a sentence has in common with memory that it repeats.
const mostly = 0.75

func repeats(sentence string, held map[string]bool) bool {
	words := wordSet([]string{sentence})
	both := 0
	for w := range words {
		if held[w] {
			both++
		}
	}
	return both > 0 && float64(both) >= mostly*float64(len(words))
}

// wordSet returns the words of texts with at least four letters or digits.
func wordSet(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if len(w) >= 4 {
				set[w] = true
			}
		}
	}
	return set
}

var refuses = lazy(`(?i)^\W*((hi|hello|hey|good (morning|afternoon|evening)|welcome|sorry|i'm sorry|i am sorry|i apologi[sz]e)\b|unfortunately,? i (can|am|do|was)|i (can('|no)?t|could( not|n't)|won't|will not|am not able to|am unable to|was not|don't|do not)\b.{0,80}(permission|access|allowed|approv|help with|assist|comply|memory))`)
