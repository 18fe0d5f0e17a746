package app

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// This is what commands that have not moved still print with; cmd/agentflow has
// it already, in columns.go and log.go.

type shownLine struct{ text string }

func (l shownLine) cut(cells int) shownLine {
	if cellsOf(l.text) <= cells {
		return l
	}
	to, room := 0, cells-1
	for to < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[to:])
		if room -= cellsOf(string(r)); room < 0 {
			break
		}
		to += n
	}
	return shownLine{l.text[:to] + "…"}
}

func cellsOf(s string) int { return terminal.Cells(s) }

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

// completeEntries offers the newest entries for the first argument.
func (a *operation) completeEntries(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	quiet := *a
	quiet.quiet = true
	s, err := quiet.existing(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	const offered = 20
	out := []string{"last\tthe newest run"}
	for b, err := range s.blocks() {
		if err == nil && b.Entry != nil && b.Entry.Kind == memory.KindRun {
			out = append(out, memory.ShortID(b.Entry.ID)+"\t"+cleanLine(titleOf(b.Entry)))
		}
		if len(out) > offered {
			break
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
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

func shortCommit(id string) string { return memory.Clean(id[:min(7, len(id))]) }
