package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/quote"
)

// StoredItem is an entry, or a fact in an entry or in hand-written text, found by id.
type StoredItem struct {
	StoredBlock
	ID   string
	Fact *memory.Fact // nil for an entry
}

// Find resolves "last", a full id, or the end of one (at least 4 digits). "last" is the newest entry of the given
// kinds, or of any kind without them.
func Find(ctx context.Context, s *app.Repo, ref string, lastOf ...memory.Kind) (StoredItem, error) {
	ref = strings.ToLower(ref)
	switch {
	case ref == "last":
		return newestEntry(s, lastOf...)
	case len(ref) < MinID:
		return StoredItem{}, app.Usagef("%q is too short for an id: give at least %d digits, or 'last'", ref, MinID)
	}
	var items []StoredItem
	for b := range Mentioning(ctx, s, digest.ByID(ref)) {
		items = append(items, b.named(ref)...)
	}
	return One(ref, items)
}

// MinID is the smallest number of last digits that may abbreviate an id.
const MinID = 4

// RunKinds lists the kinds for which Kind.ByAgent is true.
var RunKinds = []memory.Kind{memory.KindRun, memory.KindSession}

// newestEntry returns the newest entry of the given kinds, or of any kind without them.
func newestEntry(s *app.Repo, kinds ...memory.Kind) (StoredItem, error) {
	for b := range ReadableBlocks(s) {
		if b.Entry != nil && (len(kinds) == 0 || slices.Contains(kinds, b.Entry.Kind)) {
			return StoredItem{StoredBlock: b, ID: b.Entry.ID}, nil
		}
	}
	wanted := "entry"
	if len(kinds) > 0 {
		wanted = string(kinds[0])
	}
	return StoredItem{}, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for last: memory holds no %s yet", wanted),
		Hint: "'agentflow run TASK' remembers its run, 'agentflow backfill' takes in the commits of this repository, 'agentflow remember TEXT' keeps a fact"}
}

// named lists the entry and the facts of a block with an id that ends with ref. The id of a fact that was merged into
// another fact names the latter.
func (b StoredBlock) named(ref string) []StoredItem {
	var items []StoredItem
	if b.Entry != nil && strings.HasSuffix(b.Entry.ID, ref) {
		items = append(items, StoredItem{StoredBlock: b, ID: b.Entry.ID})
	}
	for i := range b.Facts {
		for _, id := range b.Facts[i].IDs() {
			if strings.HasSuffix(id, ref) {
				items = append(items, StoredItem{StoredBlock: b, ID: cmp.Or(b.Facts[i].ID, id), Fact: &b.Facts[i].Fact})
				break
			}
		}
	}
	return items
}

// One returns the only item that ref names, or an error. If the id occurs several times, as in a copy of a file, the
// newest item counts, and an entry before a fact. A fact that absorbed the fact with that id counts only if no item has
// the id itself.
func One(ref string, items []StoredItem) (StoredItem, error) {
	exact := func(it StoredItem) bool { return strings.HasSuffix(it.ID, strings.ToLower(ref)) }
	if slices.ContainsFunc(items, exact) {
		items = slices.DeleteFunc(items, func(it StoredItem) bool { return !exact(it) })
	}
	switch ids := distinctIDs(items); len(ids) {
	case 0:
		return StoredItem{}, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: memory holds no entry or fact with that id", ref),
			Hint: "'agentflow log' lists ids; 'agentflow search' finds text"}
	case 1:
		return items[0], nil
	default:
		return StoredItem{}, Ambiguous("looking for %s: %d ids end with it: %s", ref, len(ids), strings.Join(ids, ", "))
	}
}

func distinctIDs(items []StoredItem) (ids []string) {
	for _, it := range items {
		if !slices.Contains(ids, it.ID) {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// Ambiguous returns the error for an end of an id that several items have.
func Ambiguous(format string, args ...any) *app.Error {
	err := app.Usagef(format, args...)
	err.Hint = "give more digits"
	return err
}

// LookUp resolves the references of find, and references to commits: the first digits of a commit id that an entry has
// or that it was rewritten to, or a revision that git knows. "last" is the newest run or session.
func LookUp(ctx context.Context, s *app.Repo, ref string) (StoredItem, error) {
	if ref == "last" {
		return newestEntry(s, RunKinds...)
	}
	var byID, byCommit []StoredItem
	if low := strings.ToLower(ref); len(ref) >= MinID {
		for b := range Mentioning(ctx, s, digest.ByID(low), digest.ByCommit(low)) {
			byID = append(byID, b.named(low)...)
			byCommit = append(byCommit, b.committed(low)...)
		}
	}
	switch {
	case len(byID) == 0 && len(byCommit) > 0:
		return oneCommit(ref, byCommit)
	case len(byID) == 0:
		return lookUpRevision(ctx, s, ref)
	}
	item, err := One(ref, byID)
	for _, c := range byCommit {
		if err == nil && c.StoredBlock.Entry.ID != item.Entry.ID {
			err = Ambiguous("looking for %s: the id of entry %s ends with it, and commit %s begins with it", ref, memory.ShortID(item.ID), c.ID)
		}
	}
	return item, err
}

// committed lists a block once for each commit of its entry with an id that begins with ref. The items have the ids of
// the commits.
func (b StoredBlock) committed(ref string) (items []StoredItem) {
	if b.Entry == nil {
		return nil
	}
	for _, c := range b.Entry.Commits {
		if strings.HasPrefix(c.ID, ref) {
			items = append(items, StoredItem{StoredBlock: b, ID: c.ID})
		}
	}
	return items
}

// oneCommit returns the only commit that ref names, or an error. If several entries have the commit, that of a run or
// session counts.
func oneCommit(ref string, items []StoredItem) (StoredItem, error) {
	if ids := distinctIDs(items); len(ids) > 1 {
		return StoredItem{}, Ambiguous("looking for %s: %d commits begin with it: %s", ref, len(ids), strings.Join(ids, ", "))
	}
	best := items[0]
	if i := slices.IndexFunc(items, func(it StoredItem) bool { return it.Entry.Kind.ByAgent() }); i >= 0 {
		best = items[i]
	}
	best.ID = best.Entry.ID
	return best, nil
}

// lookUpRevision resolves a revision with git, and finds the entry that has the commit now.
func lookUpRevision(ctx context.Context, s *app.Repo, ref string) (StoredItem, error) {
	id := ""
	repo, err := s.Repo(ctx)
	if err == nil {
		id, err = repo.ResolveCommit(ctx, ref)
	}
	if err != nil { // git does not know it either
		return StoredItem{}, lostOrUnknown(ctx, s, ref)
	}
	var all []StoredBlock
	for b, err := range Blocks(s) {
		if err == nil && b.Entry != nil && len(b.Entry.Commits) > 0 {
			all = append(all, b)
		}
	}
	states := NewCommitStates(ctx, s, EntriesOf(all)...)
	var items []StoredItem
	for _, b := range all {
		for _, c := range b.Entry.Commits {
			if c.ID == id || states.Of(c.ID).Now == id {
				items = append(items, StoredItem{StoredBlock: b, ID: id})
			}
		}
	}
	if len(items) == 0 {
		return StoredItem{}, noEntryOf(ctx, s, ref, id)
	}
	return oneCommit(ref, items)
}

// LookUpEntry is LookUp for an entry with changes: a run, a session or a commit.
func LookUpEntry(ctx context.Context, s *app.Repo, ref string) (*memory.Entry, error) {
	f, err := LookUp(ctx, s, ref)
	if open := StillOpen(s, ref); err != nil && open != nil {
		return nil, open
	}
	if err != nil {
		return nil, ExplainShared(ctx, s, "looking for the changes of", ref, err)
	}
	if f.Entry == nil || f.Entry.Kind == memory.KindNote {
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("looking for %s: it is no run, but a fact", ref),
			Hint: "'agentflow log' lists runs"}
	}
	return f.Entry, nil
}

// StillOpen returns an error if an id, or "last", names an open session, and otherwise nil.
func StillOpen(s *app.Repo, ref string) error {
	for _, o := range slices.Backward(executor.OpenSegments(s.Runs())) {
		if ref == "last" || len(ref) >= MinID && strings.HasSuffix(o.ID, ref) {
			return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("session %s is open: it has an entry once its agent commits, or it ends", memory.ShortID(o.ID)),
				Hint: "'agentflow log' shows how far it is, 'agentflow why FILE:LINE' what it wrote"}
		}
	}
	return nil
}

// findShared resolves an id, or the beginning of a commit id, among the items that others share.
func findShared(ctx context.Context, s *app.Repo, ref string) (StoredItem, error) {
	low := strings.ToLower(ref)
	if len(low) < MinID {
		return One(ref, nil)
	}
	var byID, byCommit []StoredItem
	for b := range sharedBlocks(ctx, s, digest.ByID(low), digest.ByCommit(low)) {
		byID = append(byID, b.named(low)...)
		byCommit = append(byCommit, b.committed(low)...)
	}
	if len(byID) == 0 && len(byCommit) > 0 {
		return oneCommit(ref, byCommit)
	}
	return One(ref, byID)
}

// ExplainShared refines a not-found error: it reports if another person shares the item.
func ExplainShared(ctx context.Context, s *app.Repo, doing, ref string, err error) error {
	if err == nil || app.AsError(err).Kind != app.KindNotFound {
		return err
	}
	f, e := findShared(ctx, s, ref)
	if e != nil {
		return err
	}
	return &app.Error{Kind: app.KindRefused, Err: errors.New(doing + " " + memory.ShortID(f.ID) + ": " + quote.Name(f.Author) + " shares its entry, and its run is only in their clone"),
		Hint: fmt.Sprintf("'agentflow show %s' prints the entry", memory.ShortID(f.ID))}
}
