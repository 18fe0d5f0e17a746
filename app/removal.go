package app

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

func parseAll(files map[string][]byte) map[string]*markdown.Document {
	docs := map[string]*markdown.Document{}
	for name, content := range files {
		docs[name] = markdown.Parse(content)
	}
	return docs
}

// factsOf are the facts of all documents.
func factsOf(docs map[string]*markdown.Document) iter.Seq[memory.Fact] {
	return func(yield func(memory.Fact) bool) {
		for _, d := range docs {
			for _, b := range d.Blocks {
				for _, f := range b.Facts {
					if !yield(f.Fact) {
						return
					}
				}
			}
		}
	}
}

// memoryIDs are the ids that stand in the documents, those of merged facts too.
func memoryIDs(docs map[string]*markdown.Document) map[string]bool {
	ids := map[string]bool{}
	for _, d := range docs {
		for _, id := range d.IDs() {
			ids[id] = true
		}
	}
	return ids
}

// planRemoval plans the files without the ids. standing are those of the ids that
// memory holds; merged are the ids that were merged into the same facts, and
// stand nowhere then.
func planRemoval(files map[string][]byte, docs map[string]*markdown.Document, ids []string) (edits []memory.FileEdit, standing, merged []string) {
	gone := withHolders(docs, ids)
	after := maps.Clone(docs)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if rest, ok := docs[name].RemoveAll(func(id string) bool { return gone[id] }); ok {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: filled(rest)})
			after[name] = markdown.Parse(rest)
		}
	}
	before, left := memoryIDs(docs), memoryIDs(after)
	for _, id := range ids {
		if before[id] {
			standing = append(standing, id)
		}
	}
	for f := range factsOf(docs) {
		for _, id := range f.IDs() {
			if gone[f.ID] && !left[id] && !slices.Contains(ids, id) {
				merged = append(merged, id)
			}
		}
	}
	slices.SortFunc(merged, strings.Compare)
	return edits, standing, slices.Compact(merged)
}

// withHolders are the ids, and those of the facts into which one was merged
// that no fact has as its own any more.
func withHolders(docs map[string]*markdown.Document, ids []string) map[string]bool {
	gone, own := map[string]bool{}, map[string]bool{}
	for f := range factsOf(docs) {
		own[f.ID] = true
	}
	for _, id := range ids {
		gone[id] = true
	}
	for f := range factsOf(docs) {
		if slices.ContainsFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) && !own[id] }) {
			gone[f.ID] = true
		}
	}
	return gone
}
