package purge

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

func parseAll(files map[string][]byte) map[string]*markdown.Document {
	docs := map[string]*markdown.Document{}
	for name, content := range files {
		docs[name] = markdown.Parse(content)
	}
	return docs
}

// mostSought limits the ids that files are searched for. Above it, parsing all files is faster.
const mostSought = 16

// parseAbout parses the files that hold one of the ids, or an id that belongs to the same fact as one of those.
func parseAbout(files map[string][]byte, ids []string) map[string]*markdown.Document {
	docs := map[string]*markdown.Document{}
	sought := slices.Clone(ids)
	for done := 0; done < len(sought); {
		if len(sought) > mostSought || slices.ContainsFunc(sought, func(id string) bool { return !plainID(id) }) {
			return parseAll(files)
		}
		fresh := sought[done:]
		done = len(sought)
		for name, content := range files {
			if docs[name] == nil && slices.ContainsFunc(fresh, func(id string) bool { return bytes.Contains(content, []byte(id)) }) {
				docs[name] = markdown.Parse(content)
			}
		}
		for f := range factsOf(docs) {
			sought = withRelated(sought, f)
		}
	}
	return docs
}

// filesAbout returns a function that reports whether parseAbout needs a file, by its name in the memory folder.
func filesAbout(ctx context.Context, s *app.Repo, ids []string) func(name string) bool {
	sought := slices.Clone(ids)
	for done := 0; done < len(sought); {
		if len(sought) > mostSought || slices.ContainsFunc(sought, func(id string) bool { return !plainID(id) }) {
			return func(string) bool { return true }
		}
		fresh := lists.Mapped(sought[done:], digest.ByID)
		done = len(sought)
		for b := range lookup.Mentioning(ctx, s, fresh...) {
			for _, f := range b.Facts {
				sought = withRelated(sought, f.Fact)
			}
		}
	}
	return memoryfiles.Holding(ctx, s, lists.Mapped(sought, digest.ByID)...)
}

// withRelated adds the ids of a fact to ids if the fact has one of them.
func withRelated(ids []string, f memory.Fact) []string {
	if !slices.ContainsFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) }) {
		return ids
	}
	return append(ids, slices.DeleteFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) })...)
}

// plainID reports whether files hold an id unescaped. Comments escape other characters.
func plainID(id string) bool {
	return strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-") == "" && !strings.Contains(id, "--")
}

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

// memoryIDs returns the ids in the documents, including those of merged facts.
func memoryIDs(docs map[string]*markdown.Document) map[string]bool {
	ids := map[string]bool{}
	for _, d := range docs {
		for _, id := range d.IDs() {
			ids[id] = true
		}
	}
	return ids
}

// planRemoval plans the edits that remove the ids. standing lists those of the ids that memory holds. merged lists the
// other ids that were merged into the removed facts, and that memory no longer holds afterwards.
func planRemoval(files map[string][]byte, docs map[string]*markdown.Document, ids []string) (edits []memory.FileEdit, standing, merged []string) {
	gone := withHolders(docs, ids)
	after := maps.Clone(docs)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if rest, ok := docs[name].RemoveAll(func(id string) bool { return gone[id] }); ok {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: lists.Filled(rest)})
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

// withHolders returns the ids, and the ids of the facts that an id was merged into if no fact has that id any more.
func withHolders(docs map[string]*markdown.Document, ids []string) map[string]bool {
	gone, factIDs := map[string]bool{}, map[string]bool{}
	for f := range factsOf(docs) {
		factIDs[f.ID] = true
	}
	for _, id := range ids {
		gone[id] = true
	}
	for f := range factsOf(docs) {
		if slices.ContainsFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) && !factIDs[id] }) {
			gone[f.ID] = true
		}
	}
	return gone
}
