package app

import (
	"context"
	"fmt"
	"strings"

	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// moved lists the commits of an entry that were rewritten or are gone:
// "a1b2c3d (now d4e5f6a)".
func (l commitStates) moved(e *memory.Entry) (list []string) {
	for _, c := range e.Commits {
		if mark := l.mark(c.ID); mark != "" {
			list = append(list, shortCommit(c.ID)+mark)
		}
	}
	return list
}

// later finds the commits that took over what a run left uncommitted.
func (s *site) later(ctx context.Context, e *memory.Entry) []links.LaterCommit {
	repo, err := s.repo(ctx)
	if err != nil || e.Kind != memory.KindRun {
		return nil
	}
	list, err := links.CommittedLater(ctx, repo, e)
	if err != nil {
		s.degraded("links", []string{err.Error()})
	}
	return list
}

// printLinks tells what became of an entry's commits, and of what it left.
func (s *site) printLinks(ctx context.Context, e *memory.Entry) {
	if e == nil {
		return
	}
	for _, line := range s.linked(ctx, e).moved(e) {
		s.printf("commit %s\n", line)
	}
	for _, c := range s.later(ctx, e) {
		s.printf("committed later as %s %s (%s)\n", shortCommit(c.ID), memory.Clean(c.Subject), cleanLine(strings.Join(c.Paths, ", ")))
	}
	for _, id := range e.Runs {
		s.printf("commits what run %s left\n", memory.ShortID(id))
	}
}

// movedPart is what log says of an entry's commits behind its title.
func (l commitStates) movedPart(e *memory.Entry) string {
	const shown = 3
	list := l.moved(e)
	if more := len(list) - shown; more > 0 {
		list = append(list[:shown], fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 {
		return ""
	}
	return "  " + strings.Join(list, ", ")
}
