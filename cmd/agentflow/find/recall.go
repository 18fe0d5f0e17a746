package find

import (
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/recall"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/gctuning"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Recall returns the command recall.
func Recall(c *cli.Env) *cobra.Command {
	var req recall.Request
	cmd := c.WithJSON("one JSON object: block, tokens, facts, hits; with --explain also what each costs", &cobra.Command{
		Use:   "recall [flags] TASK…",
		Short: "Print the block of memory that a prompt would get",
		Long: `Recall prints what 'agentflow run' would put in front of this task: what people
state, the other facts of MEMORY.md and notes of the last days, which every task
gets, then the entries that the task is about. It prints nothing if memory holds
nothing relevant.`,
		Example: `  agentflow recall "fix the flaky login test"
  agentflow recall --explain --namespace branch/next "bump the version"`,
		Args: cliflag.AtLeastOne("a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			gctuning.Hurry()
			req.Task = strings.Join(args, " ")
			res, err := recall.Recall(cmd.Context(), c.Memory, req)
			return c.Result(err, res.Recall, func() {
				switch {
				case res.TooSmall:
					c.Say("no item that memory has for this task fits in a budget of %s", tokens(res.Budget))
					c.Hint("--budget and the setting recall.budget raise it")
				case res.Block == "":
					c.Nothing("nothing relevant in memory: the prompt would get no block", "")
				}
				switch {
				case req.Explain:
					explainRecall(c, res)
				case res.Block == "" && !res.TooSmall:
					c.Nothing("", "--explain shows what was found and left out")
				default:
					c.Printf("%s", res.Block)
				}
			})
		},
	})
	filterFlags(cmd, &req.Filter, &req.Namespaces)
	// Without these flags the settings count; the help shows their defaults.
	cmd.Flags().IntVar(&req.Top, "top", 0, "at most this many entries (default 5)")
	cmd.Flags().IntVar(&req.Budget, "budget", 0, "tokens for them (default 2000)")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "instead of the block, list why each fact, file and entry is in it, what it costs in tokens, and what was left out and why")
	return cmd
}

// explainRecall lists the parts of a block, with the reason for each and its
// cost.
func explainRecall(c *cli.Env, res recall.Result) {
	for i, f := range res.Facts {
		c.Printf("%s\n", c.Bold(cli.CleanLine(f.Text)))
		c.Printf("%s\n", c.Dim(cli.CleanLine(fmt.Sprintf("%s  %s%s  %s", c.At(fmt.Sprintf("%s:%d", f.Path, f.Line)), factReason(f, res.Worth[i], res.Evidence), Elsewhere(f.Namespace)+describe.IDNote(f.ID), tokens(res.Costs.Facts[i])))))
		c.Printf("\n")
	}
	if len(res.Files) > 0 {
		c.Printf("%s\n", c.Bold("Files likely involved"))
		PrintFiles(c, res.Files, true)
		c.Printf("\n")
	}
	for i, h := range res.Hits {
		printHit(c, h, res.Highlight.Snippet(h), true, "  "+tokens(res.Costs.Hits[i]))
		c.Printf("\n")
	}
	for _, u := range res.Unused {
		printHit(c, u.Hit, res.Highlight.Snippet(u.Hit), true, "  not in the block: "+u.Why)
		c.Printf("\n")
	}
	printRead(c, res.Read)
	more := ""
	if res.MoreFacts > 0 {
		more = fmt.Sprintf("; %d more do not fit", res.MoreFacts)
	}
	facts := len(res.Facts)
	for facts > 0 && res.Facts[facts-1].Day != "" { // notes are last
		facts--
	}
	notes := ""
	if n := len(res.Facts) - facts; n > 0 {
		notes = fmt.Sprintf(" and %d for %s", sum(res.Costs.Facts[facts:]), plural.Count(n, "note"))
	}
	c.Printf("%s\n", c.Dim(fmt.Sprintf("%s of %d: %s for %s%s (at most %d%s), %d for %s, %d for the words around them",
		tokens(res.Tokens), res.Budget, tokens(sum(res.Costs.Facts[:facts])), plural.Count(facts, "fact"), notes, res.Standing, more,
		sum(res.Costs.Hits), plural.Count(len(res.Hits), "entry"), res.Costs.Frame)))
}

// factReason explains the place of a fact among the others.
func factReason(f api.RecalledFact, worth, most float64) string {
	importance := "not given"
	if f.Importance != 0 {
		importance = fmt.Sprintf("%.2f", f.Importance)
	}
	if f.Day != "" {
		return "a note of " + f.Day
	}
	why := fmt.Sprintf("worth %.3f = importance %s", worth, importance)
	if *f.Evidence > 0 {
		why += fmt.Sprintf(" + evidence %.3f of %.3f", *f.Evidence, most)
	}
	if f.Standing {
		why = describe.StatedBy(f) + ", " + why
	}
	if f.Chance != nil && *f.Chance > 0 {
		why += fmt.Sprintf(", chance %.3f that the task needs it", *f.Chance)
	}
	if f.Pinned {
		why = "pinned, " + why
	}
	if f.For != "" {
		why = "for " + f.For + ", " + why
	}
	return why
}

// Elsewhere returns a namespace that is neither the project's nor the user's.
func Elsewhere(namespace string) string {
	if namespace == memory.ProjectNamespace || namespace == memory.GlobalNamespace {
		return ""
	}
	return "  " + namespace
}

func tokens(n int) string { return plural.Count(n, "token") }

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}
