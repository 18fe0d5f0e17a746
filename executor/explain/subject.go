package explain

import (
	"slices"
	"strings"
)

// Request is a prompt of a session, with what the agent did until the next one.
type Request struct {
	Text  string
	Turn  int  // as that of a Message
	Aside bool // it asks for nothing without the prompts before it, or is noted elsewhere
	Own   bool // it is a command about memory
	Wrote bool // the agent wrote a file
	Acted bool // the agent wrote a file, or may have
}

// Subject returns the prompt that an entry is about: the first one after which the agent wrote a file. If it
// wrote none, the first prompt counts that asks for something. The others that ask for something follow in
// their order, each once.
func Subject(requests []Request) (task string, others []string) {
	list := tasks(requests)
	if len(list) == 0 {
		list = requests[:min(len(requests), 1)]
	}
	if len(list) == 0 {
		return "", nil
	}
	at := slices.IndexFunc(list, func(r Request) bool { return r.Wrote })
	if at < 0 {
		at = max(0, slices.IndexFunc(list, func(r Request) bool { return r.Acted }))
	}
	task = list[at].Text
	for _, r := range list {
		if r.Text != task && !slices.Contains(others, r.Text) {
			others = append(others, r.Text)
		}
	}
	return task, others
}

// tasks returns the requests that ask for something. The work after a prompt that only continues is work for
// the prompt before it. Of the agent's commands, those count after which it wrote files.
func tasks(requests []Request) (list []Request) {
	for i, r := range requests {
		command := strings.HasPrefix(r.Text, "/")
		amid := i > 0 && r.Turn == requests[i-1].Turn && !strings.HasSuffix(requests[i-1].Text, "?")
		if n := len(list); n > 0 && !command && (r.Aside || amid || goesAhead(r.Text)) {
			list[n-1].Wrote, list[n-1].Acted = list[n-1].Wrote || r.Wrote, list[n-1].Acted || r.Acted
			r.Wrote, r.Acted = false, false
		}
		if !r.Aside && (!command || r.Wrote && !r.Own) {
			list = append(list, r)
		}
	}
	return list
}

// maxGoesAhead limits, in words, a prompt that asks to do what was planned.
const maxGoesAhead = 12

// goesAhead reports whether a prompt asks to do what the prompt before it planned.
func goesAhead(text string) bool {
	return len(strings.Fields(text)) <= maxGoesAhead && ahead().MatchString(strings.TrimSpace(text))
}

// The parts of ahead.
const (
	polite = `(please|now|ok(ay)?|yes|good|great|and|then|so|let's)`
	action = `(go (ahead|on|with|for)|proceed|continue|implement|apply|build|make|write|do|use|take|pick|choose|start|execute|carry out)( (with|on))?`
	chosen = `(plan|proposals?|suggestions?|changes?|fix(es)?|ideas?|steps?|points?|option|(first|second|third|last|former|latter|other)( one)?)`
)

// ahead matches the beginning of a prompt that asks for what the conversation was about until now:
// "implement the plan", "go with the first, but keep the cache".
var ahead = lazy(`(?i)^(` + polite + `,? )*` + action + ` ((all|both) (of )?)?(it|that|this|these|those|them|all|both|(your|the|that|this|these|those) ` + chosen + `|(option|plan|step|number) \w+)([.,;:!]|$)`)
