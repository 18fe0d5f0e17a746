// Package facts has the commands that change memory and list what it holds: remember, review, forget, pin, memory,
// consolidate, extract, eval.
package facts

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/memory/quote"

	"github.com/spf13/cobra"
)

func memoryListCommand(c *cli.Env) *cobra.Command {
	req := list.Request{Sort: list.FactOrders[0], Limit: 50}
	var struck, expired, all, forgotten bool
	cmd := c.WithJSON("one JSON list of memories", &cobra.Command{
		Use:   "list [flags] [WORDS…]",
		Short: "List the facts that memory holds",
		Long: `List shows the facts of this repository and those of your own memory, the newest
first; with words, only facts that have all of them. Struck and expired
facts are left out unless a flag asks for them. Text that you wrote into MEMORY.md
by hand comes last, without an id: change it in the file. On a terminal a heading
names the columns; imp. is the importance, from 0 to 1.`,
		Example: `  agentflow memory list --type procedural --sort importance
  agentflow memory list --namespace branch --since 7d
  agentflow memory list --key deploy.day --all --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if forgotten {
				return listLost(cmd.Context(), c)
			}
			req.Words = args
			switch {
			case all:
				req.State = list.AllFacts
			case struck:
				req.State = list.StruckFacts
			case expired:
				req.State = list.ExpiredFacts
			}
			res, err := list.List(cmd.Context(), c.Memory, req)
			if err != nil {
				return err
			}
			switch n := len(res.Facts); {
			case res.Total == 0:
				c.Nothing("no facts", "")
			case n == 0:
				c.Say("there are %s", plural.Count(res.Total, "fact"))
			case n < res.Total:
				c.Say("%d to %d of %s", req.Offset+1, req.Offset+n, plural.Count(res.Total, "fact"))
			}
			return c.Result(nil, res.Facts, func() { printFacts(c, res.Facts, time.Now()) })
		},
	})
	flags := cmd.Flags()
	cli.TypeFlag(cmd, &req.Type, "only of this `type`")
	flags.BoolVar(&forgotten, "forgotten", false, "instead what was forgotten or vanished, and 'memory restore' can bring back")
	flags.StringArrayVar(&req.Tags, "tag", nil, "only with this `tag`; several narrow")
	flags.StringVar(&req.Key, "key", "", "only with this `key`")
	flags.StringVar(&req.Category, "category", "", "only of this `category`")
	flags.StringVar(&req.Source, "source", "", "only from this `source`: hand, the id of a run, or the name of an import")
	cli.PeriodFlags(cmd, &req.Since, &req.Until)
	cliflag.Share(cmd, &req.MinImportance, "min-importance", "only from this `importance` on, 0 to 1")
	flags.BoolVar(&struck, "struck", false, "only struck facts")
	flags.BoolVar(&expired, "expired", false, "only expired facts")
	flags.BoolVar(&all, "all", false, "struck and expired facts too")
	cliflag.Choice(cmd, &req.Sort, "sort", "`by` created, updated, importance, namespace, key or uses", list.FactOrders...)
	flags.BoolVar(&req.Reverse, "reverse", false, "in the reverse order")
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 0, "at most this many; 0 lists all")
	cliflag.AtLeast(cmd, &req.Offset, "offset", "", 0, "leave out this `many` at the beginning")
	cli.SharingFlags(cmd, &req.Shared, &req.Author)
	cliflag.Exclusive(cmd, "struck", "expired", "all")
	namespaceFlag(cmd, &req.Namespace, "only of this `namespace`: project, branch (the current one), branch/NAME, run/ID, team or global")
	return cmd
}

func listLost(ctx context.Context, c *cli.Env) error {
	res, err := forget.Lost(ctx, c.Memory)
	return c.Result(err, res.Lost, func() { printLost(c, res.Lost) })
}

func printLost(c *cli.Env, entries []api.Entry) {
	for _, e := range entries {
		c.Printf("%s  %s  (%s)\n", c.Dim(memory.ShortID(e.ID)), cli.CleanLine(e.Title), cli.AtEntry(c, e.File))
	}
}

// namespaceFlag gives a command --namespace.
func namespaceFlag(cmd *cobra.Command, to *string, usage string) {
	cliflag.Text(cmd, "namespace", "", usage, func(text string) error {
		if *to = text; text == "" {
			return nil
		}
		return list.CheckNamespace(text)
	})
	completeNamespace(cmd)
}

// completeNamespace offers the namespaces that need no name of their own.
func completeNamespace(cmd *cobra.Command) {
	cliflag.Complete(cmd, "namespace", memory.ProjectName, "branch", memory.TeamNamespace, memory.GlobalNamespace)
}

// narrow is the width, in columns, below which a list shows only ids and texts.
const narrow = 76

// printFacts prints a line for each fact: on a terminal no wider than that, below a heading.
func printFacts(c *cli.Env, facts []api.Fact, now time.Time) {
	cut := c.OutTTY && terminal.Columns() < narrow
	l := layoutOf(facts, c.OutTTY && !cut)
	if l.headed && len(facts) > 0 {
		c.Printf("%s\n", c.Dim(l.line("id", "date", "type", "imp.", headNamespace, headUses)+"  fact"))
	}
	for _, f := range facts {
		id, uses := cmp.Or(memory.ShortID(f.ID), "-"), ""
		if u := f.Uses; u != nil {
			uses = fmt.Sprintf("%4d ×", u.Prompt+u.Search+u.Get)
		}
		line := l.line(id, cli.DateText(f.Created), string(f.Type), shareText(f.Importance), shortNamespace(f.Namespace), uses)
		if cut {
			line = strings.TrimRight(id+"  "+uses, " ")
		}
		cli.Item(c, line, factLine(f, now), cli.AtFact(c, f.File, f.Line))
	}
}

// The headings of columns that may be narrower than their heading.
const headNamespace, headUses = "namespace", "used  "

// factLayout has the columns of a list of facts.
type factLayout struct {
	headed, uses bool
	namespace    int // width; 0: the column is left out
}

func layoutOf(facts []api.Fact, headed bool) factLayout {
	l := factLayout{headed: headed}
	for _, f := range facts {
		l.namespace = max(l.namespace, min(len(shortNamespace(f.Namespace)), 16))
		l.uses = l.uses || f.Uses != nil
	}
	if headed && l.namespace > 0 {
		l.namespace = max(l.namespace, len(headNamespace))
	}
	return l
}

// line returns the columns in front of a fact. A fact without uses has no such column, so that its text begins there.
func (l factLayout) line(id, day, kind, importance, namespace, uses string) string {
	line := fmt.Sprintf("%-6s  %-10s  %-10s  %4s", id, day, kind, importance)
	if l.namespace > 0 {
		line += fmt.Sprintf("  %-*s", l.namespace, textwidth.Cut(namespace, l.namespace))
	}
	if l.uses && uses != "" {
		line += "  " + uses
	}
	return line
}

// shortNamespace returns a namespace with a run's id shortened to its end.
func shortNamespace(ns string) string {
	if id, ok := strings.CutPrefix(ns, memory.RunNamespace); ok {
		return memory.RunNamespace + memory.ShortID(id)
	}
	return ns
}

// factLine returns a fact on one line: its key, its text, and the reason why it does not
// count.
func factLine(f api.Fact, now time.Time) string {
	line := memory.Title(f.Whole())
	if f.Key != "" {
		line = cli.CleanLine(f.Key) + ": " + line
	}
	switch {
	case f.Struck && f.SupersededBy != "":
		line += " (struck, see " + memory.ShortID(f.SupersededBy) + ")"
	case f.Struck:
		line += " (struck)"
	case !f.Expires.IsZero() && !now.Before(f.Expires):
		line += " (expired " + cli.DateText(f.Expires) + ")"
	}
	if f.Pinned {
		line += " (pinned)"
	}
	switch {
	case f.Author != "":
		line += " (shared by " + quote.Name(f.Author) + ")"
	case f.Person != "":
		line += " (stored by " + quote.Name(f.Person) + ")"
	}
	return line
}

func shareText(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// completeFacts offers the newest facts that hold.
func completeFacts(c *cli.Env, cmd *cobra.Command, args []string, _ string) (offers []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		res, _ := list.List(app.Listen(cmd.Context(), nil), c.Memory, list.Request{Limit: 20})
		for _, f := range res.Facts {
			if f.ID == "" {
				continue
			}
			offers = append(offers, memory.ShortID(f.ID)+"\t"+memory.Title(f.Whole()))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
