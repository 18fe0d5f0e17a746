package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxContinuation limits, in words, a prompt that only continues the
// conversation.
const maxContinuation = 6

// IsContinuation reports whether a prompt only answers, agrees, or asks to
// continue, and names no task: "yes", "please continue", "2". Memory has nothing
// to add to such a prompt, and it makes no title.
func IsContinuation(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	if len(words) > maxContinuation {
		return false
	}
	for _, word := range words {
		if !goesOn[word] && !isNumber(word) {
			return false
		}
	}
	return true
}

// onlyCommits matches a prompt that only asks to commit the work.
var onlyCommits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(please |now |ok(ay)?,? |yes,? |and )*(commit|push|commit and push)( (it|that|this|them|all|everything|the|changes?|work|now|please))*[.!]*$`)
})

// OnlyCommits reports whether a prompt only asks to commit or push the work. Facts may say how, but no
// file and no earlier entry is about it.
func OnlyCommits(text string) bool { return onlyCommits().MatchString(strings.TrimSpace(text)) }

func isNumber(word string) bool {
	return utf8.RuneCountInString(word) <= 2 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// goesOn contains the words of prompts without new information, in the languages that
// are common in such prompts.
var goesOn = wordsOf(`
	a again agreed ahead all alright and approve approved as awesome before best both but can carry confirm confirmed continue cool correct
	could course do done exactly excellent fine first for from get go going good got great hello here hey hi hm hmm i'm if is it its
	it's just keep last later let's lgtm like look looks make me more much neither never next nice no nope not nothing now of oh ok okay
	on one option please proceed perfect ready resume retry right same second see sounds stop sure thank thanks that that's the then there third
	this to too try up us wait we well works would wow y yea yeah yep yes yet you your
	ach also bitte danke dann das doch einverstanden fertig gehe genau gerne gut ich ja jawohl klar mach machen mal nein nochmal nochmals
	noch ordnung passt prima richtig so stimmt super toll und vielen weiter weitermachen wunderbar
	allez bien bon ça continuer continuez d'accord encore merci non oui parfait vas voilà
	adelante bueno claro continua continúa gracias listo perfecto procede sí si sigue vale
	avanti certo grazie perfetto va bene continue obrigado sim não isso pode
	да нет хорошо продолжай спасибо давай дальше
	好 好的 继续 是 是的 对 对的 谢谢 可以 行 没问题 嗯 はい いいえ 続けて お願いします ありがとう そう 네 예 아니요 계속 감사합니다 좋아요`)

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}
