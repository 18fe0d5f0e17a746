package facts

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agentflow/app/fact"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/shellword"
	"agentflow/memory"
	"agentflow/memory/quote"

	"github.com/spf13/cobra"
)

// Remember returns the command remember.
func Remember(c *cli.Env) *cobra.Command {
	var req fact.RememberRequest
	cmd := c.WithJSON("one JSON object of the memory", &cobra.Command{
		Use:   "remember [flags] TEXT…",
		Short: "Put a fact into memory",
		Long: `Remember appends a dated note with the fact to memory and prints its id. The
text is the words given, or - to read it from standard input. --situation,
--action, --outcome and --learnings describe an event; --name, --steps and
--triggers a procedure. Each adds a line to the fact. Secrets in it are redacted,
as everywhere.

With --supersedes the older fact is struck in the same change, and what no flag
says is taken over from it. Facts about the same thing are named; a terminal asks
whether the new one replaces one of them. A fact that the namespace holds already
is not written again: it is yours from then on, and --path adds to its paths. With
--namespace global it goes to your own memory, which counts in all your
repositories and is in none of them.`,
		Example: `  agentflow remember "The login test depends on the clock; use synctest."
  agentflow remember --key deploy.day --supersedes 3f9a1c "We deploy on Tuesdays."
  agentflow remember --type procedural --name release --steps "Tag." --steps "Push the tag."`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := factLines(c, args)
			if err != nil {
				return err
			}
			req.Text = &text
			if err := offerToReplace(cmd.Context(), c, &req); err != nil {
				return err
			}
			done, err := fact.Remember(cmd.Context(), c.Memory, req)
			if done.Redacted {
				c.Say("what looks like a secret in the text was redacted, and is not stored")
			}
			if done.Struck != "" {
				c.Say("struck %s, which it replaces", memory.ShortID(done.Struck))
			}
			return c.Result(err, done.Fact, func() { printRemembered(c, done) })
		},
	})
	factFlags(cmd, &req)
	cmd.Flags().StringVar(&req.Supersedes, "supersedes", "", "strike this fact, which the new one replaces: an `id`, or 'last'")
	return cmd
}

// factLines returns the text to remember: the words, or standard input.
func factLines(c *cli.Env, words []string) (string, error) {
	if len(words) != 1 || words[0] != "-" {
		return strings.TrimSpace(strings.Join(words, " ")), nil
	}
	data, err := io.ReadAll(io.LimitReader(c.In, fact.MaxFactText+1))
	if err != nil {
		return "", fmt.Errorf("reading the text to remember: %w", err)
	}
	if len(data) > fact.MaxFactText {
		return string(data), nil // too long also when it ends with blanks
	}
	return strings.TrimSpace(string(data)), nil
}

// offerToReplace asks at a terminal whether the fact of a request replaces one about
// the same thing.
func offerToReplace(ctx context.Context, c *cli.Env, req *fact.RememberRequest) error {
	if req.Supersedes != "" || c.Selection.Wanted || !c.InTTY || !c.ErrTTY {
		return nil
	}
	res, err := fact.CloseFacts(ctx, c.Memory, *req)
	if err != nil || len(res.Close) == 0 {
		return err
	}
	c.Say("memory holds, about the same thing:")
	for i, f := range res.Close {
		c.Line("", fmt.Sprintf("%d  %s  %s", i+1, memory.ShortID(f.ID), cli.CleanLine(f.Text)))
	}
	answer := c.Answer("replace one of them by the new fact? its number, or Enter to keep all:")
	for i, f := range res.Close {
		if answer == strconv.Itoa(i+1) {
			req.Supersedes = f.ID
		}
	}
	if answer != "" && req.Supersedes == "" {
		return cli.Usagef("there is no fact %q in this list: nothing was stored", answer)
	}
	return nil
}

// printClose names the facts that are about the same thing, where no terminal asked.
func printClose(c *cli.Env, done fact.RememberResult) {
	if c.InTTY && c.ErrTTY {
		return
	}
	for _, f := range done.Fact.Close {
		c.Say("%s is about the same thing: %s", memory.ShortID(f.ID), cli.CleanLine(f.Text))
	}
	if len(done.Fact.Close) > 0 {
		c.Hint("both hold; if the new one replaces it: agentflow remember --supersedes %s %s", memory.ShortID(done.Fact.Close[0].ID), shellword.Quote(cli.CleanLine(done.Fact.Text)))
	}
}

func printRemembered(c *cli.Env, done fact.RememberResult) {
	switch {
	case done.Restated:
		c.Say("memory held that already, and it is changed in %s: %s", c.At(done.Place), cli.CleanLine(done.Fact.Whole()))
	case done.Fact.Existing:
		c.Say("nothing new was stored: memory holds that already, in %s: %s", c.At(done.Place), cli.CleanLine(done.Fact.Whole()))
	default:
		c.Say("remembered in %s", c.At(done.Place))
	}
	printClose(c, done)
	for _, other := range done.SameKey {
		if other.Author != "" {
			c.Say("%s has the key %s too, and is shared by %s: %s", memory.ShortID(other.ID), cli.CleanLine(other.Key), quote.Name(other.Author), memory.Title(other.Text))
			c.Hint("both are kept: 'agentflow memory contradictions' shows them side by side")
			continue
		}
		c.Say("%s has the key %s too: %s", memory.ShortID(other.ID), cli.CleanLine(other.Key), memory.Title(other.Text))
		c.Hint("'agentflow consolidate' keeps the newer; --supersedes %s says so at once", memory.ShortID(other.ID))
	}
	c.Printf("%s\n", memory.ShortID(done.Fact.ID))
}

// factFlags adds the flags for the properties of a fact.
func factFlags(cmd *cobra.Command, req *fact.RememberRequest) {
	help := map[string]struct{ initial, usage string }{
		"type":       {"semantic", "semantic, episodic or procedural"},
		"importance": {"0.5", "a `number` from 0 to 1"},
		"confidence": {"", "how sure it is, a `number` from 0 to 1"},
		"tags":       {"", "comma-separated `tags`; may be given again"},
		"key":        {"", "what the fact is about: of two values for one key the newer counts"},
		"category":   {"", "what it belongs to"},
		"namespace":  {"project", "where it holds: project, branch (the current one), branch/NAME, run/ID, team, which is all repositories of a team's server, or global, which is your own memory"},
		"path":       {"", "comma-separated `patterns` of the files that it is about, such as 'web/**': it is shown only for work there; may be given again"},
		"expires":    {"", "until `when` it is true: 2026-12-31, a time, or 30d from now"},
	}
	for _, a := range fact.Attributes {
		var given []string
		cliflag.Text(cmd, a.Name, help[a.Name].initial, help[a.Name].usage, func(text string) error {
			if given = append(given, text); a.List {
				text = strings.Join(given, ",")
			}
			return a.Set(&req.Change, text, time.Now())
		})
	}
	flags, p := cmd.Flags(), &req.Parts
	flags.StringVar(&p.Situation, "situation", "", "of something that happened: `what` there was")
	flags.StringVar(&p.Action, "action", "", "`what` was done then")
	flags.StringVar(&p.Outcome, "outcome", "", "`what` came of it")
	flags.StringVar(&p.Learnings, "learnings", "", "`what` to learn from it")
	flags.StringVar(&p.Name, "name", "", "of a way to do something: its `name`")
	flags.StringArrayVar(&p.Steps, "steps", nil, "one `step` of it; may be given again")
	flags.StringVar(&p.Triggers, "triggers", "", "`when` to do it")
	cliflag.Complete(cmd, "type", fact.Types...)
	completeNamespace(cmd)
}
