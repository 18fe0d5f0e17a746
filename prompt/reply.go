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
	return regexp.MustCompile(`(?i)^((yes|yeah|yep|yup|no|nah|nope|sure|ok|okay|all good|right|great|good|cool|nice|thanks?|perfect|alright|sorry|oh|ah|hm+|em+|eh+|gah|but|and|so|also|option|i (like|mean)|operation stopped by hook)\b|[\da-d][.)] )`)
})
