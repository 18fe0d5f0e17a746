// Package past provides the contents of a repository's files at a time in its history: before a
// commit, so that a measurement never uses later contents.
package past

import (
	"context"
	"fmt"

	"agentflow/gitwatch/history"
	"agentflow/index/contents"
)

// Files holds the files of one repository at one time. It is not safe for concurrent use.
type Files struct {
	dir   string
	ids   map[string]string       // of contents, by path, as in table
	read  map[string]contents.Doc // by id
	docs  *contents.Reader
	table *contents.Table
}

// Open returns the Files of a repository, given its path or that of its git directory.
func Open(dir string) *Files {
	return &Files{dir: dir, ids: map[string]string{}, read: map[string]contents.Doc{}, docs: contents.NewReader(), table: contents.NewTable()}
}

// Before moves to the time before a commit, which must have a parent.
func (f *Files) Before(ctx context.Context, commit string) error { return f.At(ctx, commit+"^") }

// At moves to the time just after a commit, which any name that git accepts may name.
func (f *Files) At(ctx context.Context, commit string) error {
	tree, err := history.Tree(ctx, f.dir, commit)
	if err != nil {
		return fmt.Errorf("going back to %s: %w", commit, err)
	}
	var missing []string
	for _, id := range tree {
		if _, ok := f.read[id]; !ok {
			f.read[id] = contents.Doc{}
			missing = append(missing, id)
		}
	}
	err = history.Contents(ctx, f.dir, missing, func(id string, content []byte) { f.read[id] = f.docs.Of(content) })
	if err != nil {
		return fmt.Errorf("going back to %s: %w", commit, err)
	}
	for path, id := range tree {
		if f.ids[path] != id {
			f.table.Put(path, f.read[id])
		}
	}
	for path := range f.ids {
		if _, ok := tree[path]; !ok {
			f.table.Remove(path)
		}
	}
	f.ids = tree
	return nil
}

// Holds reports whether a file exists at the time.
func (f *Files) Holds(path string) bool { return f.ids[path] != "" }

// Find searches the files for stems.
func (f *Files) Find(_ context.Context, hashes []uint32) (contents.Found, error) {
	return f.table.Find(hashes), nil
}
