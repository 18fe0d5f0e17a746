package main

import (
	"fmt"
	"strings"

	"agentflow/app"
	"agentflow/describe"
	"agentflow/internal/cliflag"
	"agentflow/internal/garbage"
	"agentflow/internal/terminal"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// kindUsage tells of the flag --kind.
const kindUsage = "only this `kind`: run, session, commit or note"

// filterFlags are the filters that search and recall share.
func filterFlags(cmd *cobra.Command, to *memory.Filter, namespaces *[]string) {
	flags := cmd.Flags()
	periodFlags(cmd, &to.Since, &to.Until)
	cliflag.Choice(cmd, &to.Kind, "kind", kindUsage, memory.Kinds...)
	typeFlag(cmd, &to.Type, "only with a fact of this `type`")
	flags.StringVar(&to.Tag, "tag", "", "only with a fact that has this `tag`")
	flags.StringVar(&to.Path, "path", "", "only entries that changed this `path` or something below it")
	flags.StringVar(&to.Branch, "branch", "", "only from this `branch`")
	flags.StringArrayVar(namespaces, "namespace", nil, "count the facts of this `namespace` instead of the current branch's; may be repeated")
	cliflag.Complete(cmd, "namespace", "branch")
}

func (c *cli) searchCommand() *cobra.Command {
	req := app.SearchRequest{Limit: 10}
	cmd := c.withJSON("one JSON list of hits", &cobra.Command{
		Use:   "search [flags] WORDS…",
		Short: "Find what memory holds about something",
		Long: `Search lists the entries and the hand-written text that match the words best,
each with its file and lines. Finding nothing is no error.`,
		Example: `  agentflow search "flaky login"
  agentflow search --since 30d --path auth/ clock`,
		Args: cliflag.AtLeastOne("words to search for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			garbage.Hurry()
			req.Text = strings.Join(args, " ")
			res, err := c.memory.Search(cmd.Context(), req)
			return c.result(err, res.Hits, func() {
				if len(res.Hits) == 0 {
					c.say("nothing found")
				}
				for i, h := range res.Hits {
					if i > 0 {
						c.printf("\n")
					}
					c.printHit(h, res.Highlight.Snippet(h.Text), "")
				}
			})
		},
	})
	filterFlags(cmd, &req.Filter, &req.Namespaces)
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many hits")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show every part of each score")
	return cmd
}

// snippetCells is how many columns of a hit's lines are shown where there is no
// terminal.
const snippetCells = 160

// printHit shows a hit with lines of its text, and a note behind its score.
func (c *cli) printHit(h memory.Hit, lines []app.Line, note string) {
	cells := snippetCells
	if c.outTTY {
		cells = min(cells, terminal.Columns()-2)
	}
	if h.FromRepository {
		note += "  from the repository: not believed"
	}
	c.printf("%s%s\n", c.bold(cleanLine(h.Heading)), describe.GoneMark(h))
	c.printf("%s\n", c.dim(cleanLine(fmt.Sprintf("%s  score %.3f%s", c.at(describe.Lines(h.Path, h.StartLine, h.EndLine)), h.Score, describe.IDNote(h.EntryID)+note))))
	if e := h.Explain; e != nil {
		c.printf("%s\n", c.dim(describe.Explained(e)))
	}
	for _, line := range lines {
		c.printf("  %s\n", line.Cut(cells).Styled(c.matched))
	}
}
