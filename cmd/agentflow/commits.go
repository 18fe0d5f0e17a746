package main

import (
	"agentflow/gitwatch"
	"agentflow/memory"
)

// held is what memory holds of commits.
type held struct {
	entries map[string]bool // by the id of an entry
	commits map[string]bool // by the full id of a commit that an entry names
}

// held reads all of memory. A file that cannot be read is an error: nobody
// knows then what is in it.
func (s *site) held() (held, error) {
	h := held{entries: map[string]bool{}, commits: map[string]bool{}}
	for b, err := range s.blocks() {
		if err != nil {
			return h, err
		}
		if b.Entry != nil {
			h.add(b.Entry)
		}
	}
	return h, nil
}

func (h held) add(e *memory.Entry) {
	h.entries[e.ID] = true
	for _, c := range e.Commits {
		h.commits[c.ID] = true
	}
}

// lot is what is to become of a commit that may get an entry.
type lot int

const (
	lotWrite   lot = iota
	lotHeld         // its own entry is there
	lotOfRun        // the entry of a run, or of another commit, names it
	lotRefused      // its entry was forgotten, or taken out by hand
)

// of decides about one commit; barred says which entries were forgotten or
// taken out by hand.
func (h held) of(c gitwatch.CommitRef, barred func(id string) bool) lot {
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

// commitEntries makes the entries of commits.
func (s *site) commitEntries(commits []gitwatch.HistoryCommit) []memory.Entry {
	entries := make([]memory.Entry, 0, len(commits))
	for _, c := range commits {
		entries = append(entries, gitwatch.CommitEntry(c, s.redact.Text, s.ignored))
	}
	return entries
}
