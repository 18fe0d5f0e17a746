package gitwatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// gitIndex is the index of this work tree: what git believes it holds. It is
// not changed once it is read.
type gitIndex struct {
	raw     []byte
	ids     git.Algorithm
	entries []indexEntry
	odd     []*indexEntry // those of them that are not merged, in their order
	trees   []byte        // its cache tree
	folders []*folder
}

// readIndex reads the index, and when it was written, for the racy rule. One
// that is not there is empty, as in a fresh repository. known is what an
// earlier reading gave, or nil: an index of the same checksum is not read
// again. whole says, when it is done, whether the bytes are as git wrote them.
func readIndex(ctx context.Context, p *place, known *gitIndex) (x *gitIndex, written time.Time, whole <-chan error, err error) {
	verdict := make(chan error, 1)
	f, err := repofile.Open(filepath.Join(p.dir, "index"), repofile.AnyLink)
	if errors.Is(err, os.ErrNotExist) {
		verdict <- nil
		return &gitIndex{folders: foldersOf(nil)}, written, verdict, nil
	}
	if err != nil {
		return nil, written, nil, fmt.Errorf("read index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, written, nil, fmt.Errorf("read index: %w", err)
	}
	if known.isStill(f, info.Size()) {
		verdict <- nil
		return known, info.ModTime(), verdict, nil
	}
	raw, err := readIndexFile(ctx, f)
	if err != nil {
		return nil, written, nil, fmt.Errorf("read index: %w", err)
	}
	x, err = newIndex(raw, p.ids)
	if needs := requiredError(""); errors.As(err, &needs) {
		if x, err = fullIndex(ctx, p, raw); err != nil && ctx.Err() == nil {
			err = &UnsupportedError{f.Name(), needs.name(), err}
		}
	}
	if err != nil {
		return nil, written, nil, fmt.Errorf("read index %s: %w", f.Name(), err)
	}
	go func() { verdict <- checkSum(x.raw, x.ids) }()
	return x, info.ModTime(), verdict, nil
}

// readIndexFile reads an index whole, of a kind that begins as one: what is
// called so may be far larger than what there is room for.
func readIndexFile(ctx context.Context, f *os.File) ([]byte, error) {
	var head [len(indexMagic)]byte
	if n, _ := f.ReadAt(head[:], 0); string(head[:n]) != indexMagic {
		return nil, errIndexFile
	}
	return repofile.ReadAll(ctx, f, maxIndex)
}

// maxIndex bounds the index, in bytes: some ten million files.
const maxIndex = 1 << 30

// fullIndex lets git write an index that it keeps in several files, or without
// the entries below some folders, as one file with all of them.
func fullIndex(ctx context.Context, p *place, raw []byte) (*gitIndex, error) {
	dir, err := os.MkdirTemp("", "agentflow-index-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "index")
	if err := os.WriteFile(copied, raw, 0o600); err != nil {
		return nil, err
	}
	cmd, err := git.Command(ctx, p.top, "-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.untrackedCache=false",
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
	return newIndex(raw, p.ids)
}

func newIndex(raw []byte, ids git.Algorithm) (*gitIndex, error) {
	x := &gitIndex{raw: raw, ids: ids}
	var err error
	if x.entries, x.trees, err = parseIndex(raw, ids); err != nil {
		return nil, err
	}
	x.folders = foldersOf(x.entries)
	for i := range x.entries {
		if e := &x.entries[i]; !e.merged() {
			x.odd = append(x.odd, e)
		}
	}
	return x, nil
}

// isStill says whether a file is the index that was read, by its size and the
// checksum at its end. One without a checksum (index.skipHash) never is.
func (x *gitIndex) isStill(f io.ReaderAt, size int64) bool {
	if x == nil || int64(len(x.raw)) != size || size < int64(x.ids.Size()) {
		return false
	}
	sum := make([]byte, x.ids.Size())
	at := size - int64(len(sum))
	_, err := f.ReadAt(sum, at)
	return err == nil && !bytes.Equal(sum, make([]byte, len(sum))) && bytes.Equal(sum, x.raw[at:])
}

// holds says whether a folder of the index has an entry of a name, of whatever
// kind.
func (x *gitIndex) holds(f *folder, name []byte) bool {
	skip := len(f.path)
	past := sort.Search(len(f.spans), func(i int) bool { return x.entries[f.spans[i].from].name[skip:] > string(name) })
	if past == 0 {
		return false
	}
	s := f.spans[past-1]
	list := x.entries[s.from:s.to]
	i := sort.Search(len(list), func(i int) bool { return list[i].name[skip:] >= string(name) })
	return i < len(list) && list[i].name[skip:] == string(name)
}

// find returns the first entry of a path, of whatever kind, or nil.
func (x *gitIndex) find(path string, within *folder) *indexEntry {
	list := x.entries[within.first:within.end]
	i := sort.Search(len(list), func(i int) bool { return list[i].name >= path })
	if i == len(list) || list[i].name != path {
		return nil
	}
	return &list[i]
}
