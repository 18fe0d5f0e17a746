package app

import (
	"time"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// factFlags are the flags that say what kind of fact a text is.
type factFlags struct {
	values map[string]*string // of attributes, by name
	parts  memory.Parts
}

func (o *factFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.values = map[string]*string{}
	attr := func(name, value, usage string) { o.values[name] = flags.String(name, value, usage) }
	attr("type", "semantic", "semantic, episodic or procedural")
	attr("importance", "0.5", "a `number` from 0 to 1")
	attr("confidence", "", "how sure it is, a `number` from 0 to 1")
	attr("tags", "", "comma-separated `tags`")
	attr("key", "", "what the fact is about: of two values for one key the newer counts")
	attr("category", "", "what it belongs to")
	attr("namespace", "project", "where it holds: project, branch (the current one), branch/NAME, run/ID, or global, which is your own memory")
	attr("expires", "", "until `when` it is true: 2026-12-31, a time, or 30d from now")
	p := &o.parts
	flags.StringVar(&p.Situation, "situation", "", "of something that happened: `what` there was")
	flags.StringVar(&p.Action, "action", "", "`what` was done then")
	flags.StringVar(&p.Outcome, "outcome", "", "`what` came of it")
	flags.StringVar(&p.Learnings, "learnings", "", "`what` to learn from it")
	flags.StringVar(&p.Name, "name", "", "of a way to do something: its `name`")
	flags.StringArrayVar(&p.Steps, "steps", nil, "one `step` of it; may be given again")
	flags.StringVar(&p.Triggers, "triggers", "", "`when` to do it")
	complete(cmd, "type", factTypes...)
	completeNamespace(cmd)
}

// fact is what the flags say, without its text. Where none was given, old
// says it: a fact that takes the place of another is like it.
func (o *factFlags) fact(cmd *cobra.Command, old *memory.Fact, now time.Time) (memory.Fact, error) {
	var f memory.Fact
	if old != nil {
		f.Type, f.Importance, f.Confidence, f.Tags = old.Type, old.Importance, old.Confidence, old.Tags
		f.Key, f.Category, f.Namespace = old.Key, old.Category, old.Namespace
	}
	for _, a := range attributes {
		if old != nil && !cmd.Flags().Changed(a.name) {
			continue
		}
		if err := a.set(&f, *o.values[a.name], now); err != nil {
			return f, usagef("--%s: %w", a.name, err)
		}
	}
	p := o.parts
	happened := p.Situation+p.Action+p.Outcome+p.Learnings != ""
	done := p.Name+p.Triggers != "" || len(p.Steps) > 0
	implied := memory.Episodic
	switch {
	case happened && done:
		return f, usagef("--situation, --action, --outcome and --learnings are of something that happened, --name, --steps and --triggers of a way to do something: give one kind")
	case done:
		implied = memory.Procedural
	case !happened:
		return f, nil
	}
	if cmd.Flags().Changed("type") && f.Type != implied {
		return f, usagef("--type %s does not go with these parts: they are of something %s", f.Type, implied)
	}
	f.Type = implied
	return f, nil
}
