package facts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func memorySimilarCommand(c *cli.Env) *cobra.Command {
	req := fact.SimilarRequest{Limit: 10}
	cmd := c.WithJSON("one JSON list", &cobra.Command{
		Use:   "similar [flags] ID|last",
		Short: "List the facts and entries that are most like a fact or an entry",
		Long: `Similar searches memory with the text of a fact or an entry. It lists the facts
that are most similar, and entries without facts, with their similarity from 0 to
1: by vectors where there are, else by shared words. It marks facts that say the
same, and facts that differ only in a number, a name or a negation.`,
		Example: "  agentflow memory similar 3f9a1c\n  agentflow memory similar last --limit 3 --json",
		Args:    cliflag.Exactly(1, "one id, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeFacts(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Ref = args[0]
			res, err := fact.Similar(cmd.Context(), c.Memory, req)
			return c.Result(err, res.Similar, func() {
				if len(res.Similar) == 0 {
					c.Say("memory holds nothing like it")
				}
				for i, s := range res.Similar {
					text := res.Titles[i]
					if s.Relation != "" {
						text += " (" + s.Relation + ")"
					}
					cli.Item(c, fmt.Sprintf("%.2f  %-6s  %-10s", s.Similarity, cmp.Or(memory.ShortID(s.ID), "-"), s.Type), text, cli.AtFact(c, s.File, s.Line))
				}
			})
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many")
	return cmd
}

func memoryStatsCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON object", &cobra.Command{
		Use:   "stats [flags]",
		Short: "Count the facts that memory holds, and how often they were of use",
		Long: `Stats counts facts by type, namespace, category, tag and source, those of your
own memory too, says how much of MEMORY.md agents still load, and lists what was
most often put in front of a prompt, found or shown. No ranking uses these counts.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := list.Stats(cmd.Context(), c.Memory)
			return c.Result(err, res.Stats, func() { printStats(c, res.Stats) })
		},
	})
}

// printStats prints the counts for people.
func printStats(c *cli.Env, o api.Stats) {
	row := func(label, value string) { c.Row(10, label, "%s", value) }
	row("facts", fmt.Sprintf("%d live, %d pinned; %d struck, %d expired", o.Live, o.Pinned, o.Struck, o.Expired))
	row("type", largestCounts(o.Types))
	row("namespace", largestCounts(o.Namespaces))
	row("category", largestCounts(o.Categories))
	row("tag", largestCounts(o.Tags))
	row("source", largestCounts(o.Sources))
	var ages []string
	for _, name := range []string{"day", "week", "month", "year", "older", "unknown"} {
		if n := o.Ages[name]; n > 0 {
			ages = append(ages, fmt.Sprintf("%s %d", name, n))
		}
	}
	row("age", strings.Join(ages, ", "))
	m := o.MemoryMD
	row("files", fmt.Sprintf("%s, %s; MEMORY.md has %d of the %d lines and %s of the %s that agents load",
		plural.Count(o.Files, "file"), plural.Bytes(o.Bytes), m.Lines, m.LoadedLines, plural.Bytes(int64(m.Bytes)), plural.Bytes(int64(m.LoadedBytes))))
	if o.Used > 0 {
		row("used", fmt.Sprintf("%d facts and entries were put in a prompt, found or shown", o.Used))
	}
	for _, u := range o.Uses {
		c.Printf("%s  %s\n", c.Dim(fmt.Sprintf("%6d ×  %s", u.Count, memory.ShortID(u.ID))), cmp.Or(memory.Title(u.Text), "(no longer in memory)"))
	}
}

// countsShown limits the names shown of one kind.
const countsShown = 12

// largestCounts lists names with their counts, the largest first.
func largestCounts(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	var parts []string
	for i, name := range names {
		if i == countsShown {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
