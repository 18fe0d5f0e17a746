// Package gitindex reads git's index, versions 2 to 4, for SHA-1 and SHA-256, and finds where it
// differs from a tree.
//
// Guarantees: entries are views of the file's bytes, 10 MB for 300,000 of them. A damaged index is
// an error. A split or sparse index is read too: git writes it as a whole file elsewhere, which is
// read instead.
package gitindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/safefile"
)

// Index is the index of this work tree, git's record of its contents. It does not change after it
// is read.
type Index struct {
	raw      []byte
	ids      git.Algorithm
	Entries  []Entry
	Unmerged []*Entry // the entries that are not merged, in order
	Folders  []*Folder
	extensions
}

// Read reads the index and the time it was written, for the racy rule. An index that does not exist
// is empty, as in a fresh repository. earlier is the result of an earlier Read, or nil. An index
// with the same checksum is not read again. whole receives nil or an error, depending on whether
// the bytes are as git wrote them.
func Read(ctx context.Context, p *repo.Place, earlier *Index) (x *Index, written time.Time, whole <-chan error, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read index: %w", err)
		}
	}()
	verdict := make(chan error, 1)
	f, err := safefile.Open(filepath.Join(p.GitDir, "index"), safefile.AnyLink)
	if errors.Is(err, os.ErrNotExist) {
		verdict <- nil
		return &Index{Folders: foldersOf(nil)}, written, verdict, nil
	}
	if err != nil {
		return nil, written, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, written, nil, err
	}
	if earlier.isUnchanged(f, info.Size()) {
		verdict <- nil
		return earlier, info.ModTime(), verdict, nil
	}
	raw, err := readIndexFile(ctx, f)
	if err != nil {
		return nil, written, nil, err
	}
	x, err = Parse(raw, p.IDs)
	if needs := requiredError(""); errors.As(err, &needs) {
		if x, err = fullIndex(ctx, p, raw); err != nil && ctx.Err() == nil {
			err = &repo.UnsupportedError{Path: f.Name(), Shape: needs.name(), Err: err}
		}
	}
	if err != nil {
		return nil, written, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	go func() { verdict <- CheckSum(x.raw, x.ids) }()
	return x, info.ModTime(), verdict, nil
}

// readIndexFile reads a whole file that begins as an index does. Another file may be far larger
// than memory.
func readIndexFile(ctx context.Context, f *os.File) ([]byte, error) {
	var head [len(indexMagic)]byte
	if n, _ := f.ReadAt(head[:], 0); string(head[:n]) != indexMagic {
		return nil, errIndexFile
	}
	return safefile.ReadAll(ctx, f, maxIndex)
}

// maxIndex bounds the index, in bytes: some ten million files.
const maxIndex = 1 << 30

// fullIndex makes git write a split or sparse index as one file with all entries.
func fullIndex(ctx context.Context, p *repo.Place, raw []byte) (*Index, error) {
	dir, err := os.MkdirTemp("", "agentflow-index-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "index")
	if err := os.WriteFile(copied, raw, 0o600); err != nil {
		return nil, err
	}
	cmd, err := git.Command(ctx, p.Top, "-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.untrackedCache=false",
		"-c", "core.hooksPath="+filepath.Join(dir, "hooks"), "update-index", "--force-write-index")
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+copied)
	if _, err := git.Run(ctx, cmd, "update-index", nil); err != nil {
		return nil, err
	}
	if raw, err = os.ReadFile(copied); err != nil {
		return nil, err
	}
	return Parse(raw, p.IDs)
}

func Parse(raw []byte, ids git.Algorithm) (*Index, error) {
	x := &Index{raw: raw, ids: ids}
	var err error
	if x.Entries, x.extensions, err = parseEntries(raw, ids); err != nil {
		return nil, err
	}
	x.Folders = foldersOf(x.Entries)
	for i := range x.Entries {
		if e := &x.Entries[i]; !e.Merged() {
			x.Unmerged = append(x.Unmerged, e)
		}
	}
	return x, nil
}

// isUnchanged reports whether a file is the index that was read, by its size and the checksum at
// its end. An index without a checksum (index.skipHash) never is.
func (x *Index) isUnchanged(f io.ReaderAt, size int64) bool {
	if x == nil || int64(len(x.raw)) != size || size < int64(x.ids.Size()) {
		return false
	}
	sum := make([]byte, x.ids.Size())
	at := size - int64(len(sum))
	_, err := f.ReadAt(sum, at)
	return err == nil && !bytes.Equal(sum, make([]byte, len(sum))) && bytes.Equal(sum, x.raw[at:])
}

// Find returns the first entry of a path, of any kind, or nil.
func (x *Index) Find(path string, within *Folder) *Entry {
	list := x.Entries[within.first:within.end]
	i := sort.Search(len(list), func(i int) bool { return list[i].Name >= path })
	if i == len(list) || list[i].Name != path {
		return nil
	}
	return &list[i]
}

// Folder is one folder of the index. A work tree is compared folder by folder: one visit opens the
// folder, examines its tracked files and lists it.
type Folder struct {
	Path       string // "" or ending in '/'
	Spans      []Span // the entries directly in it
	subs       []*Folder
	first, end int // its entries, with all below it
}

// Span is the entries from…to-1 of the index.
type Span struct{ From, To int }

// foldersOf sorts the entries of an index into their folders. The first is the top, and parents
// come before their subfolders.
func foldersOf(entries []Entry) []*Folder {
	top := &Folder{}
	all, open := []*Folder{top}, []*Folder{top}
	for i := range entries {
		name := entries[i].Name
		here := open[len(open)-1]
		for !strings.HasPrefix(name, here.Path) {
			here.end = i
			open = open[:len(open)-1]
			here = open[len(open)-1]
		}
		for {
			slash := strings.IndexByte(name[len(here.Path):], '/')
			if slash < 0 {
				break
			}
			sub := &Folder{Path: name[:len(here.Path)+slash+1], first: i}
			here.subs = append(here.subs, sub)
			all, open = append(all, sub), append(open, sub)
			here = sub
		}
		if last := len(here.Spans) - 1; last >= 0 && here.Spans[last].To == i {
			here.Spans[last].To++
		} else {
			here.Spans = append(here.Spans, Span{i, i + 1})
		}
	}
	for _, f := range open {
		f.end = len(entries)
	}
	return all
}

// Sub returns the tracked folder in f with a name, or nil.
func (f *Folder) Sub(name string) *Folder {
	key := f.Path + name + "/"
	i := sort.Search(len(f.subs), func(i int) bool { return f.subs[i].Path >= key })
	if i == len(f.subs) || f.subs[i].Path != key {
		return nil
	}
	return f.subs[i]
}
