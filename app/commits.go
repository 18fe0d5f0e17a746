package app

import (
	"context"
	"fmt"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// held is what memory holds of commits.
type held struct {
	entries map[string]bool     // by the id of an entry
	commits map[string]bool     // by the full id of a commit that an entry names
	patches map[string][]titled // commits by their patch id, as far as entries keep that
	runs    []*memory.Entry     // those that left something uncommitted
}

// titled is a commit that an entry names.
type titled struct{ commit, title string }

func newHeld() held {
	return held{entries: map[string]bool{}, commits: map[string]bool{}, patches: map[string][]titled{}}
}

// held reads memory; with digits only the files that hold some of them, which
// is much faster. A file that cannot be read is an error: nobody knows then
// what is in it.
func (s *site) held(digits hexDigits) (held, error) {
	h := newHeld()
	files, err := s.files()
	if err != nil {
		return h, fmt.Errorf("reading memory: %w", err)
	}
	for _, path := range files {
		text, err := readMemory(path)
		if err != nil {
			return h, fmt.Errorf("reading memory: %w", err)
		}
		if digits != nil && !digits.in(text) {
			continue
		}
		for _, e := range memory.Parse(text).Entries() {
			h.add(e)
		}
	}
	return h, nil
}

func (h *held) add(e *memory.Entry) {
	h.entries[e.ID] = true
	for i, c := range e.Commits {
		h.commits[c.ID] = true
		title := e.Title
		if c.Subject != "" {
			title = memory.Title(c.Subject)
		}
		if i < len(e.Patch) && e.Patch[i] != "" {
			h.patches[e.Patch[i]] = append(h.patches[e.Patch[i]], titled{c.ID, title})
		}
	}
	if e.Kind == memory.KindRun && len(e.Uncommitted.Items) > 0 {
		h.runs = append(h.runs, e)
	}
}

// originals are the commits that an entry's one may be a copy of, made by a
// rebase or a cherry-pick: those with the same change and the same title. To
// do again what was undone has another title.
func (h *held) originals(e *memory.Entry) (commits []string) {
	if len(e.Patch) != 1 {
		return nil
	}
	for _, c := range h.patches[e.Patch[0]] {
		if c.title == e.Title {
			commits = append(commits, c.commit)
		}
	}
	return commits
}

// lot is what is to become of a commit that may get an entry.
type lot int

const (
	lotWrite   lot = iota
	lotHeld        // its own entry is there
	lotOfRun       // the entry of a run, or of another commit, names it
	lotRefused     // its entry was forgotten, or taken out by hand
)

// of decides about one commit; barred says which entries were forgotten or
// taken out by hand.
func (h *held) of(c history.Ref, barred func(id string) bool) lot {
	id := history.EntryID(c.ID, c.Time)
	switch {
	case h.entries[id]:
		return lotHeld
	case h.commits[c.ID]:
		return lotOfRun
	case barred(id):
		return lotRefused
	}
	return lotWrite
}

// freshEntries makes the entries of commits that are no copies of those that
// memory holds, and adds them to what it holds. Each names the runs whose
// uncommitted edits it has. patches are by the commits' ids.
func (s *site) freshEntries(ctx context.Context, known *held, commits []history.Commit, patches map[string]string) ([]memory.Entry, error) {
	left := links.NewLeftovers(known.runs...)
	var entries []memory.Entry
	for _, c := range commits {
		e := history.Entry(c, s.redact.Text, s.ignored)
		e.Runs = left.Runs(c)
		if patch := patches[c.ID]; patch != "" {
			e.Patch = []string{patch}
		}
		copied, err := s.copied(ctx, known, &e)
		if err != nil {
			return nil, err
		}
		if !copied {
			known.add(&e)
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// copied says whether memory holds what the entry's commit was copied from. A
// commit that stands on the other one made the same change once more.
func (s *site) copied(ctx context.Context, known *held, e *memory.Entry) (bool, error) {
	for _, original := range known.originals(e) {
		again, err := history.LeadsTo(ctx, s.gitFolder(), original, e.Commits[0].ID)
		if err != nil || !again {
			return err == nil, err
		}
	}
	return false, nil
}

// patchIDs are the patch ids of commits, where they can be had: without them
// an entry is as true.
func (s *site) patchIDs(ctx context.Context, commits []history.Commit, wanted func(commit string) bool) map[string]string {
	var ids []string
	for _, c := range commits {
		if c.Unread == "" && wanted(c.ID) {
			ids = append(ids, c.ID)
		}
	}
	repo, err := s.repo(ctx)
	if err != nil || len(ids) == 0 {
		return nil
	}
	patches, _ := repo.PatchIDs(ctx, ids...)
	return patches
}
