package history

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Show returns the command show.
func Show(c *cli.Env) *cobra.Command {
	var stat, raw, transcript bool
	cmd := c.WithJSON("one JSON run object; of a fact outside entries, one JSON memory; with --transcript, one JSON transcript", &cobra.Command{
		Use:   "show [flags] ID|COMMIT|last",
		Short: "Print an entry of memory, or all that memory knows of a fact",
		Long: `Show prints the entry with that id, unchanged from the Markdown, with its time in
your zone and with short ids of its facts instead of the comments that programs
read. Below a run it lists what memory had put in front of it, first facts of
MEMORY.md, then entries, which are numbered for 'forget --hit', and on a terminal a
diff stat. Of a fact it prints all that memory knows, and names the entry that holds
it. --raw prints the bytes of the file, of a fact those of its entry; --json does so
too. The last 4 digits of an id are enough.
The id of a fact that was merged names the fact that took it in. A commit, as git
names it, stands for the entry that has it, also after a rebase or an amend.

With --transcript it prints what was said and done in the run, or in the turns of
the session: prompts, messages, tool calls, what was not permitted. That comes
from the folder of the run, or else from the agent's own file of the session.`,
		Example: "  agentflow show last\n  agentflow show last --transcript\n  agentflow show 3f9a1c --json\n  agentflow show HEAD~2",

		Args: cliflag.Exactly(1, "one id or commit, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return CompleteRuns(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if transcript {
				res, err := list.Transcript(cmd.Context(), c.Memory, list.TranscriptRequest{Ref: args[0]})
				return c.Result(err, res.Transcript, func() { printTranscript(c, res.Transcript) })
			}
			res, err := list.Show(cmd.Context(), c.Memory, list.ShowRequest{Ref: args[0]})
			if err != nil {
				return err
			}
			if res.Run == nil {
				return c.Result(nil, res.Fact.Fact, func() { printFact(c, res.Fact) })
			}
			if raw {
				_, err := io.WriteString(c.Verbatim(), res.Markdown)
				return err
			}
			if res.Fact != nil && !c.Selection.Wanted {
				if !strings.HasSuffix(res.Fact.ID, strings.ToLower(args[0])) {
					c.Say("%s was merged into %s", args[0], memory.ShortID(res.Fact.ID))
				}
				printFact(c, res.Fact)
				c.Row(13, "entry", "%s", heldBy(res.Run))
				return nil
			}
			return c.Result(nil, res.Run, func() {
				printMarkdown(c, res.Markdown, res.Run.StartedAt)
				if how := describe.Result(*res.Run); how != "" && !strings.Contains(res.Markdown, "\n### Result\n") {
					c.Printf("%s\n", how)
				}
				c.Printf("%s\n", c.Dim(c.At(res.Place)+cli.SharedBy(res.Author)))
				if stat || c.OutTTY {
					printStat(c, describe.Changes(*res.Run), "")
				}
				printLinks(c, res.Run)
				printRecalled(c, res)
			})
		},
	})
	cmd.Flags().BoolVar(&stat, "stat", false, "print the diff stat where there is no terminal, too")
	cmd.Flags().BoolVar(&raw, "raw", false, "print the entry as the file holds it, and nothing else")
	cmd.Flags().BoolVar(&transcript, "transcript", false, "print what was said and done, in its order")
	cliflag.Exclusive(cmd, "raw", "json")
	cliflag.Exclusive(cmd, "raw", "transcript")
	cliflag.Exclusive(cmd, "raw", "stat")
	cliflag.Exclusive(cmd, "transcript", "stat")
	return cmd
}

// printMarkdown prints the Markdown of an entry of a time for people.
func printMarkdown(c *cli.Env, text string, at time.Time) {
	for _, l := range describe.Readable(text, at) {
		id := ""
		if l.ID != "" {
			id = c.Dim(describe.IDNote(l.ID))
		}
		line := l.Text
		if !l.Code {
			line = cli.Folded(c, line, 0)
		}
		c.Printf("%s%s\n", line, id)
	}
}

// printLinks prints what became of an entry's commits and of its uncommitted
// changes.
func printLinks(c *cli.Env, r *api.Run) {
	for _, line := range describe.MovedCommits(*r) {
		c.Printf("commit %s\n", line)
	}
	for _, l := range r.Later {
		c.Printf("committed later as %s %s (%s)\n", describe.ShortCommit(l.ID), memory.Clean(l.Subject), cli.CleanLine(strings.Join(l.Paths, ", ")))
	}
	for _, id := range r.Runs {
		c.Printf("commits what run %s left\n", memory.ShortID(id))
	}
}

// printRecalled lists what memory put in front of a run, the entries numbered
// for forget --hit.
func printRecalled(c *cli.Env, res recall.ShowResult) {
	if res.NotRecalled != "" {
		c.Say("%s", res.NotRecalled)
	}
	if len(res.Run.Facts)+len(res.Run.Recalled) > 0 {
		c.Printf("\n%s\n", c.Bold("recalled:"))
	}
	for i, f := range res.Run.Facts {
		at := cli.CleanLine(c.At(fmt.Sprintf("%s:%d", f.Path, f.Line)) + describe.IDNote(f.ID))
		c.Printf("-  %s  %s\n", cli.CleanLine(res.RecalledFacts[i]), c.Dim(at))
	}
	for i, h := range res.Run.Recalled {
		c.Printf("%d. %s  %s\n", i+1, cli.CleanLine(res.Recalled[i]), c.Dim(c.At(fmt.Sprintf("%s:%d", h.Path, h.Line))))
	}
}

// printFact prints all that memory knows about a fact, a line each.
func printFact(c *cli.Env, f *recall.Fact) {
	c.Printf("%s\n", c.Bold(cli.CleanLine("fact "+f.ID)))
	for line := range strings.Lines(memory.Clean(f.Whole())) {
		c.Printf("  %s\n", strings.TrimRight(line, "\n"))
	}
	row := func(name, value string) { c.Row(13, name, "%s", value) }
	named := func(id string) string { return strings.TrimSpace(memory.ShortID(id) + "  " + f.Titles[id]) }
	row("state", f.State)
	for _, a := range f.Attributes {
		row(a.Name, a.Value)
	}
	row("superseded by", named(f.SupersededBy))
	row("supersedes", named(f.Supersedes))
	row("reason", cli.CleanLine(f.Reason))
	row("source", sourceText(f.Source, f.Commit))
	row("created", timeText(f.Created))
	row("updated", timeText(f.Updated))
	for _, m := range f.Merged {
		row("merged", strings.TrimSpace(memory.ShortID(m.ID)+"  "+sourceText(m.Source, m.Commit)+" "+timeText(m.Created)))
	}
	row("file", c.At(f.Place)+cli.SharedBy(f.Author))
}

// heldBy names the entry that holds a fact.
func heldBy(r *api.Run) string {
	if r.Kind == memory.KindNote {
		return ""
	}
	return fmt.Sprintf("%s %s  %s", r.Kind, memory.ShortID(r.ID), memory.Title(r.Task))
}

// idLength counts the characters of a whole id.
const idLength = len("01938f6e-0000-7000-8000-000000000000")

// sourceText describes the source of a fact, and its commit.
func sourceText(source, commit string) string {
	if len(source) == idLength {
		source = "run " + memory.ShortID(source)
	}
	if commit != "" {
		source = strings.TrimSpace(source + " at commit " + describe.ShortCommit(commit))
	}
	return source
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(cli.Minute)
}

// JudgeHits runs forget --hit: it records hits that were useless for their runs.
func JudgeHits(ctx context.Context, c *cli.Env, hits []string) error {
	res, err := recall.Judge(ctx, c.Memory, recall.JudgeRequest{Hits: hits})
	for i, j := range res.Judged {
		if j.Known {
			c.Say("noted before: %q did not need %q", res.Tasks[i], j.Title)
		} else {
			c.Say("noted: %q did not need %q; it ranks lower for tasks like that", res.Tasks[i], j.Title)
		}
		c.Hint("'agentflow forget %s' takes that back", memory.ShortID(j.ID))
	}
	return c.Result(err, map[string]any{"judged": res.Judged}, func() {})
}
