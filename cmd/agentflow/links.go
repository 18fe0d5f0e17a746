package main

import (
	"context"

	"agentflow/memory"
)

// links says what became of commits, by their full ids as entries have them.
type links map[string]memory.Link

// of is what became of a commit; unknown when nobody asked.
func (l links) of(commit string) memory.Link {
	if link, ok := l[commit]; ok {
		return link
	}
	return memory.Link{ID: commit, State: memory.LinkUnknown}
}

// mark is what stands behind a commit's id: " (now d4e5f6a)", " (gone)", or
// nothing.
func (l links) mark(commit string) string {
	switch link := l.of(commit); link.State {
	case memory.LinkRewritten:
		return " (now " + link.Now[:min(7, len(link.Now))] + ")"
	case memory.LinkGone:
		return " (gone)"
	}
	return ""
}

// linked finds out what became of the commits that entries name. Outside git,
// and where git cannot be read, that is unknown.
func (s *site) linked(ctx context.Context, entries ...*memory.Entry) links {
	found := links{}
	repo, err := s.repo()
	if err != nil {
		return found
	}
	reachable, err := repo.Reachable(ctx)
	if err != nil {
		return found
	}
	for _, e := range entries {
		for _, c := range e.Commits {
			if reachable(c.ID) {
				found[c.ID] = memory.Link{ID: c.ID, State: memory.LinkHere}
			}
		}
	}
	return found
}
