package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/config"
	"agentflow/gitwatch/hook"
	"agentflow/memory"
)

// printSpots lists hooks, and what is to be done about them.
func (a *operation) printSpots(spots []hook.Spot) {
	colours := map[hook.State]string{hook.Missing: "33", hook.Broken: "33", hook.Wanted: "33", hook.Off: "33"}
	for _, s := range spots {
		a.printf("%s  %-12s  %s\n", a.style(colours[s.State], fmt.Sprintf("%-10s", s.State)), s.Hook, cleanLine(s.Path))
		more := func(format string, args ...any) {
			a.printf("            %s\n", a.dim(cleanLine(fmt.Sprintf(format, args...))))
		}
		if s.Chained != "" {
			more("goes on to %s", s.Chained)
		}
		if s.Manager != "" {
			more("beside %s", s.Manager)
		}
		if s.Shared {
			more("other repositories use this folder too; there it does nothing unless they use agentflow")
		}
		if s.Detail != "" {
			more("%s", s.Detail)
		}
		if s.Add != "" {
			more("add to %s:", s.AddTo)
			for line := range strings.Lines(s.Add) {
				a.printf("              %s\n", memory.Clean(strings.TrimSuffix(line, "\n")))
			}
		}
	}
}

// leftToDo is the error of an installation after which git does not run every
// hook.
func leftToDo(spots []hook.Spot) error {
	var names []string
	for _, s := range spots {
		if !s.State.Works() && !slices.Contains(names, s.Hook) {
			names = append(names, s.Hook)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &Error{Kind: KindRefused, Err: fmt.Errorf("git does not run %s yet: the rest is for you to do", strings.Join(names, " and ")),
		Hint: "do what stands above, then check it with 'agentflow hook status'"}
}

// missedNote says when a hook could not note a commit; empty when none is
// known.
func missedNote(place config.Place) string {
	at, missed := hook.Missed(place.State())
	if !missed {
		return ""
	}
	return fmt.Sprintf("a hook could not note a commit at %s, because %s cannot be written or is full; git's reflog has it",
		at.Local().Format("2006-01-02 15:04"), filepath.Join(place.State(), "hook"))
}

// hooks are the hooks of this repository, when there ever were any: git is
// not asked otherwise.
func (s *site) hooks(ctx context.Context) ([]hook.Spot, error) {
	if _, err := os.Stat(filepath.Join(s.State(), "hook")); err != nil || s.CommonDir == "" {
		return nil, nil
	}
	return hook.Look(ctx, s.Place)
}

// hooksLine tells of the hooks in a line.
func hooksLine(spots []hook.Spot) string {
	if len(spots) == 0 {
		return "none; 'agentflow hook install' lets git tell of each commit"
	}
	states := map[hook.State][]string{}
	var order []hook.State
	for _, s := range spots {
		if states[s.State] == nil {
			order = append(order, s.State)
		}
		states[s.State] = append(states[s.State], s.Hook)
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, strings.Join(states[state], ", ")+" "+string(state))
	}
	line := strings.Join(parts, "; ")
	if len(order) > 1 || !order[0].Works() {
		line += "; 'agentflow hook status' says more"
	}
	return line
}

// checkHooks is the doctor's line about hooks that were installed.
func checkHooks(spots []hook.Spot) check {
	c := check{"hooks", gradeOK, hooksLine(spots), ""}
	for _, s := range spots {
		if !s.State.Works() {
			c.Grade, c.Hint = gradeWarn, "'agentflow hook status' says what is to be done"
		}
	}
	return c
}
