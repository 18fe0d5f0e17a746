package executor

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/executor/agent"
)

// takeStderr keeps the redacted end of the agent's standard error. A program without a protocol
// may use memory tags there too.
func (r *Begun) takeStderr(text string) {
	r.stderr = text
	if r.summary.Streams && text != "" {
		r.summary.AddMessage(text)
	}
}

// maxErrorLines limits the lines of standard error that a successful run keeps. maxErrorLine
// limits the bytes of each.
const (
	maxErrorLines = 5
	maxErrorLine  = 300
)

var (
	errorWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\w-])(?:(?i:errors?|fatal|panic|exception|traceback|failed|failures?)|[A-Z]\w*(?:Error|Exception))(?:[^\w-]|$)`)
	})
	noErrors = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:0|no|without(?: any)?) (?:\w+ )?(?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)\s*[:=]\s*0\b`)
	})
)

// errorLines returns the last lines of a text that look like errors, each once.
func errorLines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !errorWords().MatchString(line) || noErrors().MatchString(line) || slices.Contains(list, line) {
			continue
		}
		list = append(list, agent.ClipBytes(line, maxErrorLine))
	}
	return list[max(0, len(list)-maxErrorLines):]
}
