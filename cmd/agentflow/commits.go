package main

import (
	"fmt"
	"os"
	"slices"

	"agentflow/gitwatch"
	"agentflow/memory"
)

// held is what memory holds of commits.
type held struct {
	entries map[string]bool     // by the id of an entry
	commits map[string]bool     // by the full id of a commit that an entry names
	patches map[string][]string // titles of commits by their patch id, as far as entries keep that
	runs    []*memory.Entry     // those that left something uncommitted
}

func newHeld() held {
	return held{entries: map[string]bool{}, commits: map[string]bool{}, patches: map[string][]string{}}
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
		text, err := os.ReadFile(path)
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

// hexDigits are ids that are looked for.
type hexDigits map[string]bool

// in says whether any of them stands in text.
func (d hexDigits) in(text []byte) bool {
	from := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i]-'0' <= 9 || text[i]-'a' <= 5) {
			continue
		}
		if i-from >= len(memory.NoBlob) && d[string(text[from:i])] {
			return true
		}
		from = i + 1
	}
	return false
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
			h.patches[e.Patch[i]] = append(h.patches[e.Patch[i]], title)
		}
	}
	if e.Kind == memory.KindRun && len(e.Uncommitted.Items) > 0 {
		h.runs = append(h.runs, e)
	}
}

// copied says whether an entry holds the same change by the same title: that
// of a commit which this one was copied from by a rebase or a cherry-pick. To
// do again what was undone has another title.
func (h *held) copied(e *memory.Entry) bool {
	return len(e.Patch) == 1 && slices.Contains(h.patches[e.Patch[0]], e.Title)
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
func (h *held) of(c gitwatch.CommitRef, barred func(id string) bool) lot {
	id := gitwatch.CommitEntryID(c.ID, c.Time)
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

// commitEntries makes the entries of commits; each names the runs of h whose
// uncommitted edits it holds.
func (s *site) commitEntries(h *held, commits []gitwatch.HistoryCommit) []memory.Entry {
	left := gitwatch.NewLeftovers(h.runs...)
	entries := make([]memory.Entry, 0, len(commits))
	for _, c := range commits {
		e := gitwatch.CommitEntry(c, s.redact.Text, s.ignored)
		e.Runs = left.Runs(c)
		entries = append(entries, e)
	}
	return entries
}
