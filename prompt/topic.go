package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// NamesTopic reports whether the first line of a prompt says what the work is about, for somebody who
// does not know the conversation: "make the retries configurable" does, "yes, fix the failing tests" does not.
func NamesTopic(text string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = address().ReplaceAllString(line, " ")
	topic, begun := 0, false
	for _, word := range strings.FieldsFunc(line, divides) {
		word = strings.Trim(word, ".-")
		lower := strings.ToLower(word)
		switch {
		case goesOn[lower]:
			continue
		case !begun && asks[lower]:
			topic++
		case ofWork[lower]:
		case isName(word) || isPhrase(word):
			topic += 2
		case len(word) > 2 && strings.ContainsFunc(word, unicode.IsLetter):
			topic++
		}
		begun = true
	}
	return topic >= 2
}

// divides reports whether a character divides words.
func divides(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("`\"'()[]{}<>,;:!?*#，。！？：；、「」（）", r)
}

// isName reports whether a word is the name of a file or an identifier: run.go, MaxWords, max_words.
func isName(word string) bool {
	return name().MatchString(word) && !strings.HasPrefix(word, "origin/")
}

// isPhrase reports whether a word is of a script without spaces, and long enough for several words.
func isPhrase(word string) bool {
	n := 0
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			n++
		}
	}
	return n >= 4
}

var (
	address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`https?://\S+`) })
	name    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN][._/][\pL\pN]|\p{Ll}\p{Lu}`) })
)

// asks contains verbs that a task begins with. One word about the object is enough behind them.
var asks = wordsOf(`add create document drop fix implement make move refactor remove rename replace rewrite simplify split support update use write`)

// ofWork contains words that prompts of any topic have: those of working with a repository, and the most
// frequent words of English.
var ofWork = wordsOf(`
	add added address bot branch branches bug bugbot bugs build builds change changed changes check checked checks ci code comment commented
	comments commit commited commits committed conflict conflicts conflix create critical debug diff docs documentation done edit error errors
	explain fail failed failing fails failure failures feedback file files fix fixed fixes force github implement implementation issue issues
	lint linter low main make master medium merge mise minor nit nitpick nits origin parent plan plans pr problem problems prs pull push pushed
	rebase recommendation recommendations refactor reply request respond response review reviewed reviewer reviews run running severity solution
	simplify something step steps suggestion suggestions summarize summary test tests thing things todo update updated wrong write
	about above e.g i.e and/or actually address all already also another any anything are argh because been being below break bring but by can't close come
	did didn't different does doesn't don't down each even every everything few followed following found full give given had has have he her here's
	his how however i've i'd i'll into isn't it'd keep kind know lets likely made many may maybe means mention mentioned might mine mostly much
	must my need needs new none nothing off old only open or other others our out over own part point points possible probably quick rather
	really rest say says seem seems seen she should shouldn't since skip so some still such sure take tackle than their them themselves there's
	these they they're think this those though thoughts time two three four five under until up using very want was way we're we've were what
	what's when where which while who whole why will with within without won't work worked working wouldn't you're you've`)
