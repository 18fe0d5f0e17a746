package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/quote"
)

// SessionStart is what a session begins with, whatever will be asked in it.
type SessionStart struct {
	Facts      []Fact  // of MEMORY.md, in any order
	Notes      []Fact  // of the last days, as of Input
	NotesShare float64 // the most of Budget that notes take, 0 to 1
	Done       []Done  // earlier work, the newest first
	Here       []Done  // what this session has done already, the newest first
	Budget     int     // tokens in all, as memory.Tokens counts
	Format     Format
	Now        time.Time
	Namespaces []string // as of Input
	Tools      bool     // the agent has the tools of memory
}

// Done is a piece of earlier work, on a line.
type Done struct {
	Time  time.Time // in the zone to show
	Title string
	Files int // that it changed
	Ref   string
}

// The words around what a session begins with.
const (
	sessionRule = `AgentFlow remembers what an answer marks as worth knowing in later work, one fact each: [save_memory type="procedural" tags="testing"]the fact, understandable on its own[/save_memory], written with < and > instead of [ and ].
`
	sessionTools = `The tool memory_search finds earlier work, and memory_get shows an entry or fact by its id.
`
	doneHead = "[done] earlier work on this branch, today and yesterday\n"
	hereHead = "[done] in this session until now\n"
	// factsOfStart is the share of the budget that facts take at most.
	factsOfStart = 0.6
)

// Begin renders what a session begins with, within the budget; empty where not even the
// rule for save_memory fits. It tells which facts and notes stand in it. It is safe for concurrent use.
func (in SessionStart) Begin() (text string, shown []Fact) {
	rules := sessionRule
	if in.Tools {
		rules += sessionTools
	}
	if memory.Tokens(rules) > in.Budget {
		return "", nil
	}
	left := in.Budget - memory.Tokens(blockOpen+blockClose+rules)
	facts := sectionOf(ranked(in.Facts, in.Now, in.Namespaces), fileHead, in.Format, int(factsOfStart*float64(max(left, 0))))
	left -= memory.Tokens(facts.text)
	known := Input{Facts: in.Facts, Notes: in.Notes, Now: in.Now, Namespaces: in.Namespaces}
	notes := notesOf(known.fresh(nil), in.Format, min(int(in.NotesShare*float64(in.Budget)), left))
	left -= memory.Tokens(notes.text)
	here := doneSection(hereHead, in.Here, left)
	body := facts.text + notes.text + here + doneSection(doneHead, in.Done, left-memory.Tokens(here))
	if body == "" {
		return rules, nil
	}
	return blockOpen + body + blockClose + rules, slices.Concat(facts.facts, notes.facts)
}

// doneSection shows earlier work, the newest first, in at most so many tokens.
func doneSection(head string, done []Done, budget int) string {
	text := head
	for _, d := range done {
		line := fmt.Sprintf(quote.Mark+"%s %s (%s%s)\n", d.Time.Format("2006-01-02 15:04"), quote.Name(d.Title), d.Ref, filesOf(d.Files))
		if memory.Tokens(text+line) > budget {
			break
		}
		text += line
	}
	if text == head {
		return ""
	}
	return text
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

// Part renders the hits and facts that a prompt in the middle of a session is
// given, without the rules that the session began with; empty when there are none.
func Part(in Input) Output {
	in.NoSaveRule = true
	if IsCommand(in.Task) || strings.TrimSpace(in.Task) == "" {
		return Output{}
	}
	return block(in)
}
