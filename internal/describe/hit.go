// Package describe describes hits, entries and the actions of a consolidation in words for
// people. It is pure.
package describe

import (
	"fmt"
	"strings"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// Explained returns every part of a hit's rank score and score, in the same columns for every
// hit. h.Explain must not be nil.
func Explained(h retrieval.Hit) string {
	e := h.Explain
	var names, values strings.Builder
	for _, part := range []struct {
		name  string
		value float64
	}{
		{"bm25", e.BM25}, {"keyword", e.Keyword}, {"vector", e.Vector}, {"decay", e.Decay}, {"importance", e.Importance}, {"judgement", e.Judgement},
		{"files", e.Files}, {"idf mass", e.Mass}, {"known", e.Known}, {"likely", e.Likely}, {"rank score", h.RankScore},
	} {
		fmt.Fprintf(&names, "  %8s", part.name)
		fmt.Fprintf(&values, "  %*.3f", max(8, len(part.name)), part.value)
	}
	text := fmt.Sprintf("%s\n%s\n  terms %s · named %s", names.String(), values.String(), wordList(e.Terms), wordList(e.Named))
	for _, l := range e.Commits {
		text += "\n  commit " + ShortCommit(l.ID) + LinkMark(l.State, l.Now)
	}
	return text
}

// GoneMark returns a mark for a hit with work that was undone, or that is not in HEAD.
func GoneMark(h retrieval.Hit) string {
	switch {
	case h.Undone:
		return " (undone)"
	case h.Gone:
		return " (not in HEAD)"
	}
	return ""
}

// LinkMark returns the text after a commit's id: " (now d4e5f6a)", " (gone)", or nothing.
func LinkMark(state retrieval.LinkState, now string) string {
	switch state {
	case retrieval.LinkRewritten:
		return " (now " + ShortCommit(now) + ")"
	case retrieval.LinkGone:
		return " (gone)"
	}
	return ""
}

// ShortCommit returns the beginning of a commit's id.
func ShortCommit(id string) string { return memory.Clean(id[:min(7, len(id))]) }

func wordList(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return memory.Clean(strings.Join(words, " "))
}

// IDNote returns the short id with which other commands name a hit, or "" for text without an
// id.
func IDNote(id string) string {
	if id == "" {
		return ""
	}
	return "  id " + memory.ShortID(id)
}

// Lines names lines of a file as editors do.
func Lines(file string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", file, from)
	}
	return fmt.Sprintf("%s:%d-%d", file, from, to)
}
