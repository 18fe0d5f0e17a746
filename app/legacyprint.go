package app

import (
	"context"
	"fmt"
	"strings"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// This is what commands that have not moved still print with; cmd/agentflow has
// it already, in columns.go and log.go.

func cutRunes(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// outcomeOf tells in a word or two how an entry ended.
func outcomeOf(e *memory.Entry) string {
	switch {
	case e.Result == nil:
		return string(e.Kind)
	case e.IsUndone():
		return "undone"
	}
	return strings.ReplaceAll(string(e.Result.Outcome), "_", " ")
}

// sizeOf sums up what an entry changed.
func sizeOf(e *memory.Entry) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, noun))
		}
	}
	add(len(e.Commits), "commit")
	add(len(e.PossibleCommits), "possible commit")
	changes := changesOf(e)
	possible := countPossible(changes)
	add(len(changes)-possible, "change")
	add(possible, "possible change")
	if e.Kind != memory.KindNote {
		add(len(e.Facts), "memory")
	}
	if len(unread(*e)) > 0 {
		parts = append(parts, "changes not fully read")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s)", strings.Join(parts, ", "))
}

// countPossible counts the changes that are only possibly the run's.
func countPossible(changes []memory.Change) (n int) {
	for _, c := range changes {
		if c.Certainty == memory.Possible {
			n++
		}
	}
	return n
}

// judgeAndPrint is what forget --hit does; cli.judge has its place when forget
// moves.
func (s *site) judgeAndPrint(ctx context.Context, refs []string, asJSON bool) error {
	list := []api.Judgement{}
	for _, ref := range refs {
		j, task, err := s.judge(ctx, ref)
		if err != nil {
			return err
		}
		if j.Known {
			s.say("noted before: %q did not need %q", task, j.Title)
		} else {
			s.say("noted: %q did not need %q; it ranks lower for tasks like that", task, j.Title)
		}
		s.hint("'agentflow forget %s' takes that back", memory.ShortID(j.ID))
		list = append(list, j)
	}
	s.reindex(ctx, "forget")
	if asJSON {
		return s.json(map[string]any{"judged": list})
	}
	return nil
}
