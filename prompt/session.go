package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/quote"
)

// SessionStart is the memory for the start of a session, before any task is known.
type SessionStart struct {
	Known           // without Hits and Files
	Limits          // the budget is for the whole text, and 0 means no text
	Recent []Recent // earlier work, the newest first
	Here   []Recent // what this session has done before, the newest first
	Now    time.Time
	Tools  bool // the agent has the tools of memory
}

// Recent is a piece of recent work, on a line.
type Recent struct {
	Time   time.Time // in the zone to show
	Title  string
	Failed string // why it failed; empty: it did not
	Denied string // what the user did not permit; empty: nothing
	Files  int    // that it changed
	Ref    string
}

// The words around the memory for the start of a session.
const (
	sessionTools = `The tool memory_store keeps a fact for later work, memory_search finds earlier work, and memory_get shows an entry or fact by its id.
`
	recentHead = "[recent work] on this branch, today and yesterday\n"
	hereHead   = "[recent work] in this session until now\n"
	// maxRecent is how many lines a list of recent work has at most.
	maxRecent = 5
	// maxFailed bounds why a piece of work failed, in characters.
	maxFailed = 120
	// maxDenied bounds what was not permitted, in characters.
	maxDenied = 60
)

// Beginning is the memory for the start of a session, and its parts, in order.
type Beginning struct {
	Text  string
	Facts []Fact
	Notes []Fact
	Work  []Recent // of this session, and then other work
}

// Begin renders the memory for the start of a session, within the budget. It is empty if not
// even the rule for storing a fact fits. It is safe for concurrent use.
func (in SessionStart) Begin() (out Beginning) {
	rules := saveRule
	if in.Tools {
		rules = sessionTools
	}
	if memory.Tokens(rules) > in.Budget {
		return out
	}
	known := Input{Known: in.Known, Now: in.Now}
	known.inScope()
	left := in.Budget - memory.Tokens(blockOpen+blockClose+rules)
	standing := min(in.Standing, left)
	facts := sectionOf(ranked(known.Facts, in.Now, in.Namespaces), factHead, in.Format, standing)
	notes := notesOf(known.fresh(nil), in.Format, standing-memory.Tokens(facts.text))
	left -= memory.Tokens(facts.text + notes.text)
	here, done := recentSection(hereHead, in.Here, left)
	others, other := recentSection(recentHead, in.Recent, left-memory.Tokens(here))
	out = Beginning{Text: rules, Facts: facts.facts, Notes: notes.facts, Work: slices.Concat(done, other)}
	if body := facts.text + notes.text + here + others; body != "" {
		out.Text = blockOpen + body + blockClose + rules
	}
	return out
}

// recentSection shows recent work, the newest first, each title once, in at most so many
// tokens.
func recentSection(head string, work []Recent, budget int) (text string, shown []Recent) {
	text = head
	seen := map[string]bool{}
	for _, w := range work {
		if seen[w.Title] || len(seen) == maxRecent {
			continue
		}
		if memory.Tokens(text+w.line()) > budget {
			break
		}
		seen[w.Title] = true
		text += w.line()
		shown = append(shown, w)
	}
	if len(shown) == 0 {
		return "", nil
	}
	return text, shown
}

func (w Recent) line() string {
	failed := ""
	if w.Failed != "" {
		failed = ": tried, failed: " + quote.Name(memory.Head(w.Failed, maxFailed))
	}
	denied := ""
	if w.Denied != "" {
		denied = "; not permitted: " + quote.Name(memory.Head(w.Denied, maxDenied))
	}
	return fmt.Sprintf(quote.Mark+"%s %s%s (%s%s%s)\n", w.Time.Format("2006-01-02 15:04"), quote.Name(w.Title), failed, w.Ref, filesOf(w.Files), denied)
}

func filesOf(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", 1 file"
	}
	return fmt.Sprintf(", %d files", n)
}

// Part renders the hits and facts for a prompt in the middle of a session,
// without the rules of the session's start. It is empty if there are none.
func Part(in Input) Output {
	in.NoSaveRule = true
	if IsCommand(in.Task) || strings.TrimSpace(in.Task) == "" {
		return Output{}
	}
	return block(in)
}
