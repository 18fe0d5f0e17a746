// Package find has the commands that show what memory holds for a question or a task: search, recall, preview, files.
package find

import (
	"fmt"
	"strings"

	"agentflow/app/highlight"
	"agentflow/app/search"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/gctuning"
	"agentflow/internal/terminal"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"

	"github.com/spf13/cobra"
)

// filterFlags adds the filters that search and recall share.
func filterFlags(cmd *cobra.Command, to *retrieval.Filter, namespaces *[]string) {
	flags := cmd.Flags()
	cli.PeriodFlags(cmd, &to.Since, &to.Until)
	cliflag.Choice(cmd, &to.Kind, "kind", cli.KindUsage, memory.Kinds...)
	cliflag.Choices(cmd, &to.Types, "type", "only with a fact of this `type`: semantic, episodic or procedural", memory.Semantic, memory.Episodic, memory.Procedural)
	flags.StringArrayVar(&to.Tags, "tag", nil, "only with a fact that has this `tag`; several narrow")
	flags.StringVar(&to.Category, "category", "", "only with a fact of this `category`")
	cliflag.Share(cmd, &to.MinImportance, "min-importance", "only entries at least so important, `0 to 1`: each as its most important fact, 0.5 where none says so")
	flags.StringVar(&to.Path, "path", "", "only entries that changed this `path` or something below it")
	flags.StringVar(&to.Branch, "branch", "", "only from this `branch`")
	flags.StringArrayVar(namespaces, "namespace", nil, "count the facts of this `namespace` instead of the current branch's; may be repeated")
	cliflag.Complete(cmd, "namespace", "branch")
}

// Search returns the command search.
func Search(c *cli.Env) *cobra.Command {
	req, least := search.SearchRequest{Default: 10}, -1.0
	cmd := c.WithJSON("one JSON list of hits", &cobra.Command{
		Use:   "search [flags] WORDS…",
		Short: "Find what memory holds about something",
		Long: `Search lists the entries and the hand-written text that match the words best,
each with its file and lines. The best match of words, files, age and importance
comes first. --sort score and --explain also print the score: the chance, 0 to 1,
that the hit is of use, which goes by another measure. An id, as 'agentflow log' prints
it, finds its entry or fact. Finding nothing is no error.`,
		Example: `  agentflow search "flaky login"
  agentflow search --since 30d --path auth/ clock
  agentflow search --type procedural --type semantic --min-score 0.3 release
  agentflow search --sort time --limit 20 --offset 20 clock`,
		Args: cliflag.AtLeastOne("words to search for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			gctuning.Hurry()
			if req.Text = strings.Join(args, " "); least >= 0 {
				req.MinScore = &least
			}
			res, err := search.Search(cmd.Context(), c.Memory, req)
			return c.Result(err, res.Hits, func() {
				if len(res.Hits) == 0 {
					c.Nothing("nothing found", "")
				}
				for i, h := range res.Hits {
					if i > 0 {
						c.Printf("\n")
					}
					printHit(c, h, res.Highlight.Snippet(h), req.Explain || req.Sort == "score", "")
				}
			})
		},
	})
	filterFlags(cmd, &req.Filter, &req.Namespaces)
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many hits; without it as many as search.max_results says, or 10")
	cliflag.AtLeast(cmd, &req.Offset, "offset", "", 0, "leave out so many of the first hits: with --limit, the next page")
	cliflag.Share(cmd, &least, "min-score", "only hits with at least this score, `0 to 1`; without it search.min_score says")
	cliflag.Choice(cmd, &req.Sort, "sort", "`order` of the 200 most relevant hits: relevance, time (newest first), importance or score", search.SearchOrders...)
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show every part of each score")
	return cmd
}

// snippetCells is how many columns of a hit's lines are shown where there is no
// terminal.
const snippetCells = 160

// printHit shows a hit with lines of its text, its score if scored, and a note.
func printHit(c *cli.Env, h retrieval.Hit, lines []highlight.Line, scored bool, note string) {
	cells := snippetCells
	if c.OutTTY {
		cells = min(cells, terminal.Columns()-2)
	}
	if h.Repository != "" {
		note += "  of " + quote.Name(h.Repository)
	}
	if h.Person != "" {
		note += "  stored by " + quote.Name(h.Person)
	}
	note += cli.SharedBy(h.Author)
	if h.FromRepository {
		note += "  from the repository: not believed"
	}
	c.Printf("%s%s\n", c.Bold(quote.Line(describe.Heading(h))), describe.GoneMark(h))
	at := c.At(describe.Lines(h.Path, h.StartLine, h.EndLine))
	if scored {
		at += fmt.Sprintf("  score %.3f", h.Score)
	}
	c.Printf("%s\n", c.Dim(cli.CleanLine(at+describe.IDNote(h.EntryID)+note)))
	if h.Explain != nil {
		c.Printf("%s\n", c.Dim(describe.Explained(h)))
	}
	for _, line := range lines {
		c.Printf("  %s\n", line.Cut(cells).Styled(c.Matched))
	}
}
