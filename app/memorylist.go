package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (a *operation) memoryListCommand() *cobra.Command {
	var filter factFilter
	var order factOrder
	var limit, offset int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [flags] [WORDS…]",
		Short: "List the facts that memory holds",
		Long: `List shows the facts of this repository and those of your own memory, the
newest first; with words only those whose text has all of them. What is struck
or has expired is left out unless a flag asks for it.`,
		Example: `  agentflow memory list --type procedural --sort importance
  agentflow memory list --namespace branch --since 7d
  agentflow memory list --key deploy.day --all --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 || offset < 0 {
				return usagef("--limit and --offset are at least 0")
			}
			q, err := filter.query(args, time.Now())
			if err == nil {
				err = order.check()
			}
			if err != nil {
				return err
			}
			list, err := a.chosen(cmd.Context(), q)
			if err != nil {
				return err
			}
			if order.by == "uses" {
				a.countUses(cmd.Context(), list)
			}
			order.sort(list)
			return a.listFacts(list, offset, limit, q.now, asJSON)
		},
	}
	filter.register(cmd)
	order.register(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 50, "at most this many; 0 lists all")
	cmd.Flags().IntVar(&offset, "offset", 0, "leave out this `many` first")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of memories")
	return cmd
}

// chosen lists the facts that are asked for: of this repository, and of the
// user's own memory.
func (a *operation) chosen(ctx context.Context, q factQuery) ([]storedFact, error) {
	var list []storedFact
	if q.namespace == nil || *q.namespace != memory.GlobalNamespace {
		s, err := a.reading(ctx)
		if err != nil {
			return nil, err
		}
		if q.namespace != nil && *q.namespace == memory.BranchNamespace {
			branch, err := s.branch(ctx)
			if err != nil {
				return nil, err
			}
			*q.namespace += branch
		}
		list = s.facts()
	}
	if q.namespace == nil || *q.namespace == memory.GlobalNamespace {
		own, err := a.ownFacts(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return slices.DeleteFunc(list, func(k storedFact) bool { return !q.wants(k) }), nil
}

// countUses gives facts their counts.
func (a *operation) countUses(ctx context.Context, list []storedFact) {
	if s, err := a.siteOrGlobal(ctx, a.reading); err == nil { // the facts were read already
		withUses(list, s.useCounts(ctx))
	}
}

// ownFacts lists the user's own memory.
func (a *operation) ownFacts(ctx context.Context) ([]storedFact, error) {
	global, err := a.globalSite(ctx, false)
	if err != nil || global == nil {
		return nil, err
	}
	return global.facts(), nil
}

// listFacts prints one page of a list; it says so when there is more.
func (a *operation) listFacts(list []storedFact, offset, limit int, now time.Time, asJSON bool) error {
	all := len(list)
	list = list[min(offset, all):]
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	switch n := len(list); {
	case all == 0:
		a.say("no facts")
	case n == 0:
		a.say("there are %s", plural.Count(all, "fact"))
	case n < all:
		a.say("%d to %d of %s", offset+1, offset+n, plural.Count(all, "fact"))
	}
	if asJSON {
		out := []api.Fact{}
		for _, k := range list {
			out = append(out, k.object())
		}
		return a.json(out)
	}
	a.printFacts(list, now)
	return nil
}

// narrow is below how many columns a list shows nothing but ids and texts.
const narrow = 76

// printFacts prints a line for each fact: on a terminal no wider than that.
func (a *operation) printFacts(list []storedFact, now time.Time) {
	width := 0
	for _, k := range list {
		if ns := namespaceOf(k); len(ns) > width {
			width = min(len(ns), 16)
		}
	}
	for _, k := range list {
		id := memory.ShortID(k.ID)
		if id == "" {
			id = "-"
		}
		line := fmt.Sprintf("%-6s  %-10s  %-10s  %4s", id, dateText(k.created()), k.Type, shareText(k.Importance))
		if width > 0 {
			line += fmt.Sprintf("  %-*s", width, cutRunes(namespaceOf(k), width))
		}
		if a.outTTY && columns() < narrow {
			line = id
		}
		if n := k.used.Count(); n > 0 {
			line += fmt.Sprintf("  %4d ×", n)
		}
		text := shownLine{text: factLine(k, now)}
		if a.outTTY {
			text = text.cut(columns() - cellsOf(line) - 2)
		}
		a.printf("%s  %s\n", a.dim(cleanLine(line)), text.text)
	}
}

// namespaceOf is what a list says of where a fact holds: nothing of what
// holds in the whole project.
func namespaceOf(k storedFact) string {
	if k.Namespace == memory.ProjectNamespace {
		return ""
	}
	if id, ok := runOf(k.Namespace); ok {
		return memory.RunNamespace + memory.ShortID(id)
	}
	return k.Namespace
}

// factLine is a fact on one line: what it is about, its text, and why it
// does not count.
func factLine(k storedFact, now time.Time) string {
	line := memory.Title(k.Text)
	if k.Key != "" {
		line = cleanLine(k.Key) + ": " + line
	}
	switch {
	case k.Struck && k.SupersededBy != "":
		line += " (struck, see " + memory.ShortID(k.SupersededBy) + ")"
	case k.Struck:
		line += " (struck)"
	case !k.Live(now):
		line += " (expired " + dateText(k.Expires) + ")"
	}
	if k.pinned() {
		line += " (pinned)"
	}
	return line
}

func dateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
