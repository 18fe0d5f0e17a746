package prompt

import (
	"regexp"
	"strings"
	"sync"
)

// IsReply reports whether a prompt begins as an answer within a conversation does: "hmm, the list is short
// again", "2. sounds right". Its first line does not say what the whole work is about.
func IsReply(text string) bool { return reply().MatchString(strings.TrimSpace(text)) }

var reply = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^((yes|yeah|yep|yup|nah|nope|sure|okay|all good|great|cool|nice|thanks?|perfect|alright|sorry|oh|ah|hm+|em+|eh+|gah|but|and|so|also|i (like|mean)|operation stopped by hook)\b` +
		`|(no|ok|right|good|option [a-z\d])([,.:;!] |[,.!]? *$)|[\da-d][.)] (- )?(?-i:[a-z]))`)
})
