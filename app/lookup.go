package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
)

// storedItem is what a short id names: an entry, or a fact in an entry or in
// hand-written text.
type storedItem struct {
	storedBlock
	ID   string
	Fact *memory.Fact
}

// find resolves "last", a full id, or the end of one (at least 4 digits).
// "last" is the newest run for show, and the newest entry otherwise.
func (s *site) find(ref string, lastKind memory.Kind) (storedItem, error) {
	ref = strings.ToLower(ref)
	if ref != "last" && len(ref) < 4 {
		return storedItem{}, usagef("%q is too short for an id: give at least 4 digits, or 'last'", ref)
	}
	var hits []storedItem
	for b, err := range s.blocks() {
		if err != nil {
			s.warn("%v", err)
			continue
		}
		if ref == "last" {
			if b.Entry != nil && (lastKind == "" || b.Entry.Kind == lastKind) {
				return storedItem{storedBlock: b, ID: b.Entry.ID}, nil
			}
			continue
		}
		hits = append(hits, b.named(ref)...)
	}
	if ref == "last" {
		return storedItem{}, &Error{Kind: KindNotFound, Err: fmt.Errorf("looking for last: memory holds no %s yet", cmp.Or(string(lastKind), "entry")),
			Hint: "'agentflow run TASK' remembers its run, 'agentflow remember TEXT' a fact"}
	}
	return one(ref, hits)
}

// named lists what of the block ref names. The id of a fact that was merged
// into another names the one that took it in.
func (b storedBlock) named(ref string) []storedItem {
	var hits []storedItem
	if b.Entry != nil && strings.HasSuffix(b.Entry.ID, ref) {
		hits = append(hits, storedItem{storedBlock: b, ID: b.Entry.ID})
	}
	for i := range b.Facts {
		for _, id := range b.Facts[i].IDs() {
			if strings.HasSuffix(id, ref) {
				hits = append(hits, storedItem{storedBlock: b, ID: cmp.Or(b.Facts[i].ID, id), Fact: &b.Facts[i].Fact})
				break
			}
		}
	}
	return hits
}

// one insists on a single id. It may stand in several places, as in a copy of
// a file; the newest of them, an entry before a fact, is the hit. What took a
// fact with that id in counts only where the fact itself is nowhere.
func one(ref string, hits []storedItem) (storedItem, error) {
	own := func(h storedItem) bool { return strings.HasSuffix(h.ID, strings.ToLower(ref)) }
	if slices.ContainsFunc(hits, own) {
		hits = slices.DeleteFunc(hits, func(h storedItem) bool { return !own(h) })
	}
	var ids []string
	for _, h := range hits {
		if !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	switch len(ids) {
	case 0:
		return storedItem{}, &Error{Kind: KindNotFound, Err: fmt.Errorf("looking for %s: memory holds no entry or fact with that id", ref),
			Hint: "'agentflow log' lists ids; 'agentflow search' finds text"}
	case 1:
		return hits[0], nil
	}
	return storedItem{}, &Error{Kind: KindUsage, Err: fmt.Errorf("looking for %s: %d ids end so: %s", ref, len(ids), strings.Join(ids, ", ")),
		Hint: "give more digits"}
}

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
	states := s.commitStates(ctx, entriesOf(all)...)
	var hits []storedItem
	for _, b := range all {
		for _, c := range b.Entry.Commits {
			if c.ID == id || states.of(c.ID).Now == id {
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
