package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// lookUp resolves what find does, and what names a commit: the first digits
// of its id, which an entry has or which it was rewritten to, or a revision
// that git knows. "last" is the newest run.
func (s *site) lookUp(ctx context.Context, ref string) (storedItem, error) {
	if ref == "last" {
		return s.find(ref, memory.KindRun)
	}
	var byID, byCommit []storedItem
	for b, err := range s.blocks() {
		if err != nil {
			s.warn("%v", err)
			continue
		}
		if len(ref) >= 4 {
			byID = append(byID, b.named(strings.ToLower(ref))...)
			byCommit = append(byCommit, b.committed(strings.ToLower(ref))...)
		}
	}
	switch {
	case len(byID) == 0 && len(byCommit) > 0:
		return oneCommit(ref, byCommit)
	case len(byID) == 0:
		return s.lookUpRevision(ctx, ref)
	}
	f, err := one(ref, byID)
	for _, c := range byCommit {
		if err == nil && c.storedBlock.Entry.ID != f.Entry.ID {
			err = &Error{Kind: KindUsage, Err: fmt.Errorf("looking for %s: the id of entry %s ends so, and commit %s begins so", ref, memory.ShortID(f.ID), c.ID),
				Hint: "give more digits"}
		}
	}
	return f, err
}

// committed lists the commits of an entry that ref is the beginning of; their
// ID is the commit's.
func (b storedBlock) committed(ref string) []storedItem {
	if b.Entry == nil {
		return nil
	}
	var hits []storedItem
	for _, c := range b.Entry.Commits {
		if strings.HasPrefix(c.ID, ref) {
			hits = append(hits, storedItem{storedBlock: b, ID: c.ID})
		}
	}
	return hits
}

// oneCommit insists on a single commit. Of several entries that have it, the
// run counts.
func oneCommit(ref string, hits []storedItem) (storedItem, error) {
	var ids []string
	best := hits[0]
	for _, h := range hits {
		if !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
		if best.Entry.Kind != memory.KindRun && h.Entry.Kind == memory.KindRun {
			best = h
		}
	}
	if len(ids) > 1 {
		return storedItem{}, &Error{Kind: KindUsage, Err: fmt.Errorf("looking for %s: %d commits begin so: %s", ref, len(ids), strings.Join(ids, ", ")),
			Hint: "give more digits"}
	}
	best.ID = best.Entry.ID
	return best, nil
}

// lookUpRevision asks git for the commit, and which entry's it is now.
func (s *site) lookUpRevision(ctx context.Context, ref string) (storedItem, error) {
	_, missing := one(ref, nil)
	repo, err := s.repo(ctx)
	if err != nil {
		return storedItem{}, missing
	}
	id, err := repo.ResolveCommit(ctx, ref)
	if err != nil {
		return storedItem{}, missing
	}
	var all []storedBlock
	for b, err := range s.blocks() {
		if err == nil && b.Entry != nil && len(b.Entry.Commits) > 0 {
			all = append(all, b)
		}
	}
	became := s.linked(ctx, entriesOf(all)...)
	var hits []storedItem
	for _, b := range all {
		for _, c := range b.Entry.Commits {
			if c.ID == id || became.of(c.ID).Now == id {
				hits = append(hits, storedItem{storedBlock: b, ID: id})
			}
		}
	}
	if len(hits) == 0 {
		return storedItem{}, &Error{Kind: KindNotFound, Err: fmt.Errorf("looking for %s: memory holds no entry of commit %s", ref, id),
			Hint: "'agentflow backfill' takes the history into memory"}
	}
	return oneCommit(ref, hits)
}

// lookUpEntry is lookUp for what has changes: a run, or a commit.
func (s *site) lookUpEntry(ctx context.Context, ref string) (*memory.Entry, error) {
	f, err := s.lookUp(ctx, ref)
	if err != nil {
		return nil, err
	}
	if f.Entry == nil || f.Entry.Kind == memory.KindNote {
		return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("looking for %s: it is no run, but a fact", ref),
			Hint: "'agentflow log' lists runs"}
	}
	return f.Entry, nil
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
