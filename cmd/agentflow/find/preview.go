package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Preview returns the command preview.
func Preview(c *cli.Env) *cobra.Command {
	var req setup.PreviewRequest
	var text, all bool
	cmd := c.WithJSON("one JSON object: start, and with a task prompt", &cobra.Command{
		Use:   "preview [flags] [TASK…]",
		Short: "Show what the next session, and its first prompt, would be given",
		Long: `Preview lists what a session that began now would be shown: the facts that people
state, notes, and recent work, each with its id and why it is there. With a task it
also lists what that prompt would add. 'pin ID', 'forget ID' and 'memory edit ID'
change it. On a terminal the list stays until you press q: the arrows or j and k
choose a line, p pins or unpins it, d drops it from memory, e edits it, l lists the
facts that do not fit, ? helps; d asks before. 'agentflow preview | cat' only prints the list.`,
		Example: `  agentflow preview
  agentflow preview "add a flag for the timeout"
  agentflow preview --text`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Task = strings.Join(args, " ")
			res, err := setup.Preview(cmd.Context(), c.Memory, req)
			if err == nil && !text && !c.Selection.Wanted && c.InTTY && c.ErrTTY && c.OutTTY {
				return previewKeys(cmd.Context(), c, req, res.Preview, all)
			}
			return c.Result(err, res.Preview, func() {
				if text {
					previewText(c, res.Preview)
					return
				}
				previewAll(c, res.Preview, all)
				hintPreview(c, res.Preview)
			})
		},
	})
	cmd.Flags().BoolVar(&text, "text", false, "print the text as the agent gets it")
	cmd.Flags().BoolVar(&all, "all", false, "also list the facts that do not fit")
	return cmd
}

// previewAll lists the memory for the start of a session and for its prompt. all also lists
// the facts that do not fit.
func previewAll(c *cli.Env, p api.Preview, all bool) {
	for _, l := range previewLines(c, p, all) {
		if l.head {
			c.Printf("%s\n", c.Bold(l.text))
			continue
		}
		cli.Item(c, fmt.Sprintf("%-6s", l.ref()), l.text, l.why)
	}
	if more := len(p.Start.More); more > 0 && !all {
		c.Say("%s: --all lists them", unfitting(more))
	}
}

// hintPreview prints how to change the lines of a preview, or why it has none.
func hintPreview(c *cli.Env, p api.Preview) {
	list := previewLines(c, p, true)
	switch {
	case slices.ContainsFunc(list, func(l previewLine) bool { return l.id != "" }):
		c.Hint("agentflow pin ID keeps a line first, forget ID drops it, memory edit ID changes it")
	case p.Prompt == nil:
		c.Nothing("", "a session begins with facts and with recent work of agents; history is shown only when a prompt fits it: agentflow preview TASK")
	default:
		c.Nothing("", "memory holds no fact and no work that fits this prompt")
	}
}

// unfitting counts the facts that do not fit.
func unfitting(n int) string {
	if n == 1 {
		return "1 more fact does not fit"
	}
	return fmt.Sprintf("%d more facts do not fit", n)
}

// previewText prints the texts that an agent would get.
func previewText(c *cli.Env, p api.Preview) {
	c.Printf("%s", p.Start.Text)
	if p.Prompt != nil {
		c.Printf("\n%s", p.Prompt.Block)
	}
}

// previewLine is a line of a preview: a heading, or a thing that a person can choose.
type previewLine struct {
	head   bool
	id     string // empty for a file, and for text written by hand
	text   string
	why    string // why it is there, and its place
	pinned bool
}

// ref returns the text of the first column.
func (l previewLine) ref() string { return cmp.Or(memory.ShortID(l.id), "-") }

// previewLines returns the lines of a preview in their order.
func previewLines(c *cli.Env, p api.Preview, all bool) []previewLine {
	list := startLines(c, p.Start)
	if all && len(p.Start.More) > 0 {
		list = append(list, previewLine{head: true, text: unfitting(len(p.Start.More))})
		for _, f := range p.Start.More {
			list = append(list, factOfPreview(c, f))
		}
	}
	if p.Prompt != nil {
		list = append(list, promptLines(c, *p.Prompt)...)
	}
	return list
}

// startLines returns the lines for the start of a session.
func startLines(c *cli.Env, s api.SessionStart) []previewLine {
	list := []previewLine{{head: true, text: fmt.Sprintf("The next session begins with %s: %s of its context", pieces(len(s.Facts), len(s.Work), 0), tokens(s.Tokens))}}
	for _, f := range s.Facts {
		list = append(list, factOfPreview(c, f))
	}
	for _, r := range s.Read {
		list = append(list, previewLine{id: r.Fact.ID, text: r.Fact.Text, why: cli.CleanLine("left out: " + r.Why), pinned: r.Fact.Pinned})
	}
	for _, w := range s.Work {
		outcome := "done"
		if w.Failed != "" {
			outcome = "failed: " + w.Failed
		}
		if w.Denied != "" {
			outcome += ", not permitted: " + w.Denied
		}
		list = append(list, previewLine{id: w.ID, text: w.Title, why: cli.CleanLine(fmt.Sprintf("recent work of %s, %s", w.Time.Format("2006-01-02 15:04"), outcome))})
	}
	return list
}

// promptLines returns the lines for the memory that a prompt adds.
func promptLines(c *cli.Env, p api.Recall) []previewLine {
	list := []previewLine{{head: true, text: fmt.Sprintf("The prompt adds %s: %s of its context", pieces(len(p.Facts), len(p.Hits), len(p.Files)), tokens(p.Tokens))}}
	for _, f := range p.Facts {
		list = append(list, factOfPreview(c, f))
	}
	for _, f := range p.Files {
		list = append(list, previewLine{text: f.Path, why: cli.CleanLine("file likely involved: " + f.Why)})
	}
	for _, h := range p.Hits {
		list = append(list, previewLine{id: h.EntryID, text: h.Heading, why: cli.CleanLine(fmt.Sprintf("%s, score %.2f", h.Path, h.Score))})
	}
	for _, u := range p.Unused {
		list = append(list, previewLine{id: u.Hit.EntryID, text: u.Hit.Heading, why: cli.CleanLine("left out: " + u.Why)})
	}
	return list
}

func factOfPreview(c *cli.Env, f api.RecalledFact) previewLine {
	why := describe.WhyShown(f) + Elsewhere(f.Namespace) + ", " + c.At(fmt.Sprintf("%s:%d", f.Path, f.Line))
	return previewLine{id: f.ID, text: f.Text, why: cli.CleanLine(why), pinned: f.Pinned}
}

// printRead lists facts that are left out.
func printRead(c *cli.Env, read []api.ReadFact) {
	for _, r := range read {
		cli.Item(c, fmt.Sprintf("%-6s", memory.ShortID(r.Fact.ID)), r.Fact.Text, "left out: "+r.Why)
	}
}

// pieces counts facts and entries, and likely files if there are any.
func pieces(facts, entries, files int) string {
	if files > 0 {
		return plural.Count(facts, "fact") + ", " + plural.Count(entries, "entry") + " and " + plural.Count(files, "likely file")
	}
	return plural.Count(facts, "fact") + " and " + plural.Count(entries, "entry")
}
