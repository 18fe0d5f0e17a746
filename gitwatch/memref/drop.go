package memref

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/gitdir"
)

// dropTime bounds Drop, which looks at all objects of a repository.
const dropTime = 2 * time.Minute

// Drop removes the objects of the histories of some commits, unless a ref, a reflog or an index of
// any work tree leads to them. Objects that belong to no such history stay, whether anything leads
// to them or not. left counts those that could not be removed: they are in packs that are large,
// kept, or listed by an index of many packs.
func (r Repo) Drop(ctx context.Context, commits []string) (left int, err error) {
	ctx, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	gone := map[string]bool{}
	if err := r.walk(ctx, commits, func(id string) bool { gone[id] = true; return true }); err != nil || len(gone) == 0 {
		return 0, err
	}
	err = r.walk(ctx, []string{"--all", "--reflog", "--indexed-objects"}, func(id string) bool {
		delete(gone, id)
		return len(gone) > 0
	})
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	objects, err := r.objectsFolder()
	if err != nil {
		return len(gone), err
	}
	for id := range gone {
		if e := os.Remove(filepath.Join(objects, id[:2], id[2:])); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	err = errors.Join(err, r.dropPacked(ctx, filepath.Join(objects, "pack"), gone), r.renewGraph(ctx, objects))
	left, e := r.count(ctx, gone)
	return left, errors.Join(err, e)
}

// Lost calls f for each file in the histories of some commits that tip does not hold.
func (r Repo) Lost(ctx context.Context, commits []string, tip string, f func(data []byte)) error {
	var objects, blobs []string
	err := r.walk(ctx, slices.Concat(commits, []string{"--not", tip}), func(id string) bool { objects = append(objects, id); return true })
	if err != nil || len(objects) == 0 {
		return err
	}
	out, err := r.ask(ctx, []byte(git.Lines(objects)), "cat-file", "--batch-check")
	for line := range strings.Lines(out) {
		if id, kind, _ := strings.Cut(line, " "); strings.HasPrefix(kind, "blob ") {
			blobs = append(blobs, id)
		}
	}
	if err != nil {
		return err
	}
	return r.Blobs(ctx, blobs, func(_ string, data []byte) error { f(data); return nil })
}

// Missing returns how many of some objects the repository lacks.
func (r Repo) Missing(ctx context.Context, ids []string) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	there, err := r.count(ctx, set)
	return len(set) - there, err
}

// walk calls f for the objects that revisions lead to, until f returns false. It leaves out missing
// ones.
func (r Repo) walk(ctx context.Context, revisions []string, f func(id string) bool) error {
	args := append([]string{"rev-list", "--objects", "--no-object-names", "--ignore-missing", "--missing=allow-any"}, revisions...)
	return git.Stream(ctx, r.Dir, nil, func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if !f(lines.Text()) {
				return git.ErrEnough
			}
		}
		return lines.Err()
	}, args...)
}

func (r Repo) objectsFolder() (string, error) {
	if gitdir.Is(r.Dir) {
		return filepath.Join(r.Dir, "objects"), nil
	}
	dirs, err := gitdir.Of(r.Dir)
	return filepath.Join(dirs.Common, "objects"), err
}

// maxPack bounds the size of a pack that is rewritten without some objects, in bytes.
const maxPack = 64 << 20

// dropPacked rewrites the packs that hold objects to remove.
func (r Repo) dropPacked(ctx context.Context, folder string, gone map[string]bool) (err error) {
	if isThere(filepath.Join(folder, "multi-pack-index")) {
		return nil // it would name packs that no longer exist
	}
	packs, _ := filepath.Glob(filepath.Join(folder, "pack-*.pack")) // the pattern is valid unless the folder has an odd name
	for _, pack := range packs {
		base := strings.TrimSuffix(pack, ".pack")
		info, e := os.Stat(pack)
		if e != nil || info.Size() > maxPack || slices.ContainsFunc([]string{".keep", ".promisor", ".mtimes"}, func(end string) bool { return isThere(base + end) }) {
			continue
		}
		err = errors.Join(err, r.repack(ctx, base, gone))
	}
	return err
}

// repack replaces a pack that holds objects to remove with one that holds the rest.
func (r Repo) repack(ctx context.Context, base string, gone map[string]bool) error {
	index, err := os.ReadFile(base + ".idx")
	if err != nil {
		return fmt.Errorf("reading the index of a pack: %w", err)
	}
	list, err := r.ask(ctx, index, "show-index")
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	holds := false
	for line := range strings.SplitSeq(list, "\n") {
		if words := strings.Fields(line); len(words) >= 2 && gone[words[1]] {
			holds = true
		} else if len(words) >= 2 {
			kept.WriteString(words[1] + "\n")
		}
	}
	if !holds {
		return nil
	}
	if kept.Len() > 0 {
		if _, err := r.ask(ctx, kept.Bytes(), "pack-objects", "--quiet", filepath.Join(filepath.Dir(base), "pack")); err != nil {
			return err
		}
	}
	for _, end := range []string{".idx", ".rev", ".bitmap", ".pack"} {
		if e := os.Remove(base + end); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// renewGraph rewrites git's commit-graph file, if there is one, because it may list commits
// that were removed.
func (r Repo) renewGraph(ctx context.Context, objects string) error {
	if !isThere(filepath.Join(objects, "info", "commit-graph")) && !isThere(filepath.Join(objects, "info", "commit-graphs")) {
		return nil
	}
	_, err := r.ask(ctx, nil, "commit-graph", "write", "--reachable", "--split=replace")
	return err
}

// count returns how many of some objects the repository has.
func (r Repo) count(ctx context.Context, ids map[string]bool) (n int, err error) {
	out, err := r.ask(ctx, []byte(git.Lines(slices.Collect(maps.Keys(ids)))), "cat-file", "--batch-check")
	for line := range strings.SplitSeq(out, "\n") {
		if line != "" && !strings.HasSuffix(line, " missing") {
			n++
		}
	}
	return n, err
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
