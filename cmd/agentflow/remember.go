package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (c *cli) rememberCommand() *cobra.Command {
	var flags factFlags
	var req app.RememberRequest
	cmd := c.withJSON("one JSON object of the memory", &cobra.Command{
		Use:   "remember [flags] TEXT…",
		Short: "Put a fact into memory",
		Long: `Remember appends a dated note with the fact to memory and prints its id. The
text is the words given, or - to read it from standard input; the flags for what
happened, and for a way to do something, put lines of their own behind it.
Secrets in it are redacted, as everywhere.

With --supersedes the older fact is struck in the same change, and what no flag
says is taken over from it. A fact that the namespace holds already is not
written again. With --namespace global it goes to your own memory, which counts
in all your repositories and is in none of them.`,
		Example: `  agentflow remember "The login test depends on the clock; use synctest."
  agentflow remember --key deploy.day --supersedes 3f9a1c "We deploy on Tuesdays."
  agentflow remember --type procedural --name release --steps "Tag." --steps "Push the tag."`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if req.FactChange, err = flags.change(cmd, time.Now()); err != nil {
				return err
			}
			text, err := c.factText(args, flags.parts)
			if err != nil {
				return err
			}
			req.Text = &text
			done, err := c.memory.Remember(cmd.Context(), req)
			if done.Redacted {
				c.say("what looks like a secret in the text was redacted, and is not stored")
			}
			if done.Struck != "" {
				c.say("struck %s, which it replaces", memory.ShortID(done.Struck))
			}
			return c.result(err, done.Fact, func() { c.printRemembered(done) })
		},
	})
	flags.register(cmd)
	cmd.Flags().StringVar(&req.Supersedes, "supersedes", "", "strike this fact, which the new one replaces: an `id`, or 'last'")
	return cmd
}

// factText is the text to remember: the words, or standard input, and the
// parts behind it.
func (c *cli) factText(words []string, parts memory.Parts) (string, error) {
	parts.Text = strings.TrimSpace(strings.Join(words, " "))
	if len(words) == 1 && words[0] == "-" {
		data, err := io.ReadAll(io.LimitReader(c.in, app.MaxFactText+1))
		if err != nil {
			return "", fmt.Errorf("reading the text to remember: %w", err)
		}
		parts.Text = string(data)
		if len(data) <= app.MaxFactText {
			parts.Text = strings.TrimSpace(parts.Text)
		}
	}
	return parts.String(), nil
}

func (c *cli) printRemembered(done app.RememberResult) {
	if done.Fact.Existing {
		c.say("memory holds that already, in %s", done.Place)
	} else {
		c.say("remembered in %s", done.Place)
	}
	for _, other := range done.SameKey {
		c.say("%s has the key %s too: %s", memory.ShortID(other.ID), cleanLine(other.Key), memory.Title(other.Text))
		c.hint("'agentflow consolidate' lets the newer stand; --supersedes %s says so at once", memory.ShortID(other.ID))
	}
	c.printf("%s\n", memory.ShortID(done.Fact.ID))
}

// factFlags are the flags that say what kind of fact a text is.
type factFlags struct {
	values map[string]*string // of attributes, by name
	parts  memory.Parts
}

func (o *factFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.values = map[string]*string{}
	attribute := func(name, value, usage string) { o.values[name] = flags.String(name, value, usage) }
	attribute("type", "semantic", "semantic, episodic or procedural")
	attribute("importance", "0.5", "a `number` from 0 to 1")
	attribute("confidence", "", "how sure it is, a `number` from 0 to 1")
	attribute("tags", "", "comma-separated `tags`")
	attribute("key", "", "what the fact is about: of two values for one key the newer counts")
	attribute("category", "", "what it belongs to")
	attribute("namespace", "project", "where it holds: project, branch (the current one), branch/NAME, run/ID, or global, which is your own memory")
	attribute("expires", "", "until `when` it is true: 2026-12-31, a time, or 30d from now")
	p := &o.parts
	flags.StringVar(&p.Situation, "situation", "", "of something that happened: `what` there was")
	flags.StringVar(&p.Action, "action", "", "`what` was done then")
	flags.StringVar(&p.Outcome, "outcome", "", "`what` came of it")
	flags.StringVar(&p.Learnings, "learnings", "", "`what` to learn from it")
	flags.StringVar(&p.Name, "name", "", "of a way to do something: its `name`")
	flags.StringArrayVar(&p.Steps, "steps", nil, "one `step` of it; may be given again")
	flags.StringVar(&p.Triggers, "triggers", "", "`when` to do it")
	cliflag.Complete(cmd, "type", app.FactTypes...)
	completeNamespace(cmd)
}

// change is what the flags that were given say, without the text.
func (o *factFlags) change(cmd *cobra.Command, now time.Time) (app.FactChange, error) {
	var change app.FactChange
	for _, a := range app.FactAttributes {
		if !cmd.Flags().Changed(a.Name) {
			continue
		}
		if err := a.Set(&change, *o.values[a.Name], now); err != nil {
			return change, usagef("--%s: %w", a.Name, err)
		}
	}
	p := o.parts
	happened := p.Situation+p.Action+p.Outcome+p.Learnings != ""
	done := p.Name+p.Triggers != "" || len(p.Steps) > 0
	implied := memory.Episodic
	switch {
	case happened && done:
		return change, usagef("--situation, --action, --outcome and --learnings are of something that happened, --name, --steps and --triggers of a way to do something: give one kind")
	case done:
		implied = memory.Procedural
	case !happened:
		return change, nil
	}
	if change.Type != nil && *change.Type != implied {
		return change, usagef("--type %s does not go with these parts: they are of something %s", *change.Type, implied)
	}
	change.Type = &implied
	return change, nil
}
