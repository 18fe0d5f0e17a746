package app

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/plural"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/schedule"
	"agentflow/writeback"
)

// target is something that is to be forgotten.
type target struct {
	storedItem
	home  *site   // whose memory it is in
	score float64 // of what --query found; else 0
}

// text is the fact, or what the entry is called.
func (t target) text() string {
	if t.Fact != nil {
		return t.Fact.Text
	}
	return titleOf(t.Entry)
}

// forgetObject is what forget --json prints.
type forgetObject struct {
	Forgotten []string       `json:"forgotten"` // ids, also those that were merged into what goes
	Purged    bool           `json:"purged"`
	DryRun    bool           `json:"dry_run"`
	Pinned    int            `json:"pinned"`   // chosen, but pinned: they stay
	Memories  []targetObject `json:"memories"` // what goes, or would
}

type targetObject struct {
	ID    string  `json:"id"`
	Kind  string  `json:"kind"` // fact, run, commit or note
	Text  string  `json:"text"` // a fact's, or an entry's title
	Place string  `json:"place"`
	Score float64 `json:"score,omitempty"` // with --query
}

func (t target) object() targetObject {
	kind := "fact"
	if t.Fact == nil {
		kind = string(t.Entry.Kind)
	}
	return targetObject{ID: t.ID, Kind: kind, Text: t.text(), Place: t.place(), Score: t.score}
}

// shownTargets is how many targets are listed before the question.
const shownTargets = 50

// showTargets says what would go: all of it when that is what is asked for.
func (a *operation) showTargets(targets []target, pinned int, all bool) {
	for i, t := range targets {
		if i == shownTargets && !all {
			a.say("… and %d more", len(targets)-i)
			break
		}
		score := ""
		if t.score > 0 {
			score = fmt.Sprintf("  score %.3f", t.score)
		}
		a.say("%s  %s  (%s)%s", memory.ShortID(t.ID), strings.ReplaceAll(t.text(), "\n", " "), t.place(), score)
	}
	switch {
	case len(targets) == 0:
		a.say("there is nothing to forget")
	case len(targets) > 1:
		a.say("%s in all", plural.Count(len(targets), "memory"))
	}
	if pinned > 0 {
		a.say("%d more are pinned and stay; 'agentflow forget ID' takes one out all the same", pinned)
	}
}

// forgetTargets takes the targets out, those of one memory as one change, and
// brings the index up to date. ids are all that left memory by it.
func (s *site) forgetTargets(ctx context.Context, targets []target, purge bool) (ids []string, err error) {
	var named []string
	for len(targets) > 0 {
		home := targets[0].home
		var group []string
		for _, t := range targets {
			if t.home == home && !slices.Contains(group, t.ID) {
				group = append(group, t.ID)
			}
		}
		targets = slices.DeleteFunc(targets, func(t target) bool { return t.home == home })
		merged, err := home.forgetIDs(ctx, group, purge, s.traces()...)
		if err != nil {
			return ids, err
		}
		named = append(named, group...)
		ids = slices.Concat(ids, group, merged)
	}
	s.say("forgot %s", plural.Count(len(named), "memory"))
	if !purge {
		s.hint("'agentflow memory restore %s' brings it back", shortIDs(named))
	}
	return ids, nil
}

// traces are where runs and jobs keep what they were shown and what they said,
// and what failed: files and folders for a purge to look through. A fact of the
// user's own memory stands there too.
func (s *site) traces() []string {
	var traces []string
	for _, dir := range s.stateFolders() {
		past := schedule.Store{Dir: dir}
		traces = append(traces, filepath.Join(dir, "runs"), past.Folder(), past.Path(), filepath.Join(dir, failuresFile))
	}
	return traces
}

// shortIDs are those of a few ids, or a word for many.
func shortIDs(ids []string) string {
	if len(ids) > 3 {
		return "ID…"
	}
	var short []string
	for _, id := range ids {
		short = append(short, memory.ShortID(id))
	}
	return strings.Join(short, " ")
}

// forgetIDs takes ids out of one memory, and says which others were merged into
// what went. A purge looks through traces too.
func (s *site) forgetIDs(ctx context.Context, ids []string, purge bool, traces ...string) (merged []string, err error) {
	if merged, err = s.takeOut(ctx, ids, purge && len(ids) == 1); err != nil {
		return nil, err
	}
	if !purge {
		s.reindex(ctx, "forget")
		return merged, nil
	}
	return merged, s.purge(ctx, ids, traces)
}

// purge takes ids out of everything that is ours.
func (s *site) purge(ctx context.Context, ids, traces []string) error {
	var left []string
	if s.isGlobal() {
		left = []string{"the Markdown, logs and run folders of repositories whose runs were shown it or repeated it"}
	}
	report, err := s.store.Purge(ctx, ids, traces...)
	if err != nil {
		return fmt.Errorf("forgetting %s: %w", shortIDs(ids), err)
	}
	left = slices.Concat(left, report.Beyond, report.Elsewhere)
	if err := s.purgeLinks(); err != nil {
		return err
	}
	if err := s.purgeIndex(ctx, ids); err != nil {
		return err
	}
	for _, place := range left {
		s.warn("the text may still stand in: %s", place)
	}
	if s.isGlobal() {
		s.hint("in each of them 'agentflow search WORDS' finds what repeats it, and 'agentflow forget --purge ID' takes that out")
	}
	return nil
}

func (s *site) purgeIndex(ctx context.Context, ids []string) error {
	db, degraded := s.indexed(ctx)
	if db == nil {
		return fmt.Errorf("purging the index, which may still hold the text: %s", strings.Join(degraded, "; "))
	}
	s.degraded("forget", degraded)
	defer db.Close()
	if err := db.Purge(ctx, ids...); err != nil {
		return fmt.Errorf("purging the index: %w", err)
	}
	return s.uses().Forget(ctx, ids...)
}

// takeOut is one change of all files that hold any of the ids, unless it is only
// to say what would go. What a person takes out meanwhile has not to be taken
// out again; what is merged into one of them goes with it.
func (s *site) takeOut(ctx context.Context, ids []string, dry bool) (merged []string, err error) {
	err = s.store.Revise(ctx, func(files map[string][]byte) (writeback.Change, error) {
		c := writeback.Change{Verb: "forget", Title: plural.Count(len(ids), "memory")}
		c.Edits, c.Forget, merged = without(files, ids)
		if dry {
			return writeback.Change{}, nil
		}
		return c, nil
	})
	return merged, err
}

// without plans the files without the ids, and says which of those stand, and
// which others are merged into the same facts and then stand nowhere.
func without(files map[string][]byte, ids []string) (edits []memory.FileEdit, standing, merged []string) {
	docs, there := map[string]*markdown.Document{}, map[string]bool{}
	for name, content := range files {
		docs[name] = markdown.Parse(content)
		for _, id := range docs[name].IDs() {
			there[id] = true
		}
	}
	gone := owners(docs, ids)
	named := func(id string) bool { return slices.Contains(ids, id) }
	for name, d := range docs {
		rest, ok := d.RemoveAll(func(id string) bool { return gone[id] })
		if !ok {
			continue
		}
		edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: filled(rest)})
		for _, b := range d.Blocks {
			for _, f := range b.Facts {
				if gone[f.ID] {
					merged = append(merged, slices.DeleteFunc(f.IDs(), named)...)
				}
			}
		}
	}
	for _, id := range ids {
		if there[id] {
			standing = append(standing, id)
		}
	}
	slices.SortFunc(edits, func(a, b memory.FileEdit) int { return strings.Compare(a.File, b.File) })
	return edits, standing, leaving(merged, files, edits)
}

// owners are the ids, and those of the facts into which one was merged that
// nothing has as its own any more.
func owners(docs map[string]*markdown.Document, ids []string) map[string]bool {
	gone, own := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	for _, d := range docs {
		for _, b := range d.Blocks {
			for _, f := range b.Facts {
				own[f.ID] = true
			}
		}
	}
	holds := func(id string) bool { return gone[id] && !own[id] }
	var holders []string
	for _, d := range docs {
		for _, b := range d.Blocks {
			for _, f := range b.Facts {
				if slices.ContainsFunc(f.IDs(), holds) {
					holders = append(holders, f.ID)
				}
			}
		}
	}
	for _, id := range holders {
		gone[id] = true
	}
	return gone
}

// leaving are those ids, sorted and each once, that stand in no file after the
// edits.
func leaving(ids []string, files map[string][]byte, edits []memory.FileEdit) []string {
	if len(ids) == 0 {
		return nil
	}
	after := maps.Clone(files)
	for _, e := range edits {
		after[e.File] = e.After
	}
	left := map[string]bool{}
	for _, content := range after {
		for _, id := range markdown.Parse(content).IDs() {
			left[id] = true
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return left[id] })
}
