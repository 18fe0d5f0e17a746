package app

import (
	"bytes"
	"fmt"
	"strings"

	"agentflow/internal/plural"

	"agentflow/consolidate"
	"agentflow/memory"

	"github.com/rogpeppe/go-internal/diff"
)

// consolidateObject is what `consolidate --json` prints.
type consolidateObject struct {
	DryRun       bool                   `json:"dry_run"`
	Changed      bool                   `json:"changed"` // false: there was nothing to do
	Actions      []consolidate.Action   `json:"actions"`
	Forgotten    []string               `json:"forgotten"` // ids that leave memory
	Possible     []consolidate.Possible `json:"possible"`
	MorePossible int                    `json:"more_possible"` // beyond those listed
	Refused      []string               `json:"refused"`       // what a model proposed and may not be done
	CostUSD      float64                `json:"cost_usd"`      // of asking it
	Diff         string                 `json:"diff"`          // files are relative to the memory folder; what is only folded is left out
}

func (c consolidated) object(dryRun bool, asked proposed) consolidateObject {
	return consolidateObject{DryRun: dryRun, Changed: len(c.Edits) > 0, Actions: filled(c.Actions), Forgotten: filled(c.Forget),
		Possible: filled(c.Possible), MorePossible: c.More, Refused: filled(asked.refused), CostUSD: asked.cost, Diff: strings.ToValidUTF8(string(c.diff()), "\uFFFD")}
}

// diff is the change in the unified format.
func (c consolidated) diff() []byte {
	var out bytes.Buffer
	for _, e := range consolidate.Shown(c.in, c.Result) {
		text := diff.Diff("a/"+e.File, e.Before, "b/"+e.File, e.After)
		_, text, _ = bytes.Cut(text, []byte("\n")) // names the command
		out.Write(text)
	}
	return out.Bytes()
}

// maxTold is how many actions, and how many possible ones, people are told.
const maxTold = 30

// printConsolidated shows the change on stdout, and what it comes to on
// stderr.
func (a *operation) printConsolidated(c consolidated, dryRun bool) {
	for line := range strings.Lines(string(c.diff())) {
		line = strings.TrimSuffix(line, "\n")
		if a.outTTY {
			line = memory.Clean(line)
		}
		if colour := patchColour(line); colour != "" {
			line = a.style(colour, line)
		}
		a.printf("%s\n", line)
	}
	for _, act := range c.Actions[:min(len(c.Actions), maxTold)] {
		a.say("%s", actionLine(act))
	}
	if more := len(c.Actions) - maxTold; more > 0 {
		a.say("and %d more; --json lists them", more)
	}
	for _, p := range c.Possible[:min(len(c.Possible), maxTold)] {
		a.say("possible %s: %s: %s", p.Kind, p.Reason, possibleFacts(p))
	}
	if more := len(c.Possible) + c.More - maxTold; more > 0 {
		a.say("and %d more that are possible; --json lists %d of them", more, min(more, max(0, len(c.Possible)-maxTold)))
	}
	if len(c.Possible) > 0 {
		a.hint("'agentflow forget ID' takes one out, 'agentflow memory edit ID' makes the two differ")
	}
	switch sum := actionSum(c.Actions); {
	case len(c.Edits) == 0:
		a.say("memory is in order")
	case dryRun:
		a.say("would change %s: %s", plural.Count(len(c.Edits), "file"), sum)
	default:
		a.say("changed %s: %s", plural.Count(len(c.Edits), "file"), sum)
		if len(c.Forget) > 0 {
			a.hint("'agentflow memory restore %s' brings a retired fact back", memory.ShortID(c.Forget[0]))
		}
	}
}

// actionLine tells one action on one line.
func actionLine(act consolidate.Action) string {
	var b strings.Builder
	b.WriteString(string(act.Kind))
	if act.ID != "" {
		fmt.Fprintf(&b, " %s", memory.ShortID(act.ID))
	}
	if act.Text != "" {
		fmt.Fprintf(&b, " %q", cleanLine(act.Text))
	}
	if act.ID == "" {
		fmt.Fprintf(&b, " %s", act.File)
	}
	if act.Into != "" && act.Into != act.ID {
		fmt.Fprintf(&b, " → %s", memory.ShortID(act.Into))
	}
	if act.To != "" {
		fmt.Fprintf(&b, " → %s", act.To)
	}
	return b.String() + ": " + act.Reason
}

func possibleFacts(p consolidate.Possible) string {
	var list []string
	for i, id := range p.IDs {
		list = append(list, fmt.Sprintf("%s %q", memory.ShortID(id), cleanLine(p.Texts[i])))
	}
	return strings.Join(list, ", ")
}

// actionSum counts the actions by kind, in the order they were first taken.
func actionSum(actions []consolidate.Action) string {
	counts := map[consolidate.Kind]int{}
	var order []consolidate.Kind
	for _, act := range actions {
		if counts[act.Kind] == 0 {
			order = append(order, act.Kind)
		}
		counts[act.Kind]++
	}
	var parts []string
	for _, kind := range order {
		if kind != consolidate.Left {
			parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	return strings.Join(parts, ", ")
}
