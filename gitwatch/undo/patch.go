package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory/changeset"
)

// Patch holds the changes of a run with their contents. Close removes its temporary
// files. It is not for concurrent use.
type Patch struct {
	// Missing lists the paths that are left out, with the reason: contents that were not kept, or
	// an unresolved merge.
	Missing []Refusal
	// Swept lists the paths that changed only in HEAD: a commit took in changes that were in the
	// work tree before the run.
	Swept []string

	scratch *scratch
	layers  []layer
}

// layer is a part of a patch: the difference from a tree to an index.
type layer struct {
	tree, index string
	renames     string // git's option
}

// OpenPatch makes a patch of edits, oldest first: from the work tree at the start of the run to the
// one at its end. Contents are those kept in the run's folder dir and those in git. It uses the git
// program, and writes nothing into the repository.
func OpenPatch(ctx context.Context, r *gitwatch.Repo, dir string, changes []edits.Change) (*Patch, error) {
	archive, err := edits.OpenArchive(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	defer archive.Close()
	p := &Patch{}
	if p.scratch, err = newScratch(r, ""); err == nil {
		err = p.fill(ctx, archive, changes)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a patch: %w", err), p.Close())
	}
	return p, nil
}

// Close removes the temporary files.
func (p *Patch) Close() error {
	if p.scratch == nil {
		return nil
	}
	return p.scratch.close()
}

func (p *Patch) fill(ctx context.Context, archive *edits.Archive, changes []edits.Change) error {
	whole := slices.DeleteFunc(slices.Clone(changes), func(e edits.Change) bool {
		if e.Unmerged {
			p.Missing = append(p.Missing, Refusal{e.Path, "a merge had left it unresolved"})
		}
		return e.Unmerged
	})
	all := layers(whole)
	p.Swept = sweptPaths(whole, all)
	paths := map[edits.File]string{}
	for _, spans := range all {
		for _, s := range spans {
			paths[s.before], paths[s.after] = s.path, s.path
		}
	}
	lacking, err := p.scratch.provide(ctx, archive, paths)
	if err != nil {
		return err
	}
	for i, spans := range all {
		if err := p.add(ctx, fmt.Sprintf("index%d", i), spans, lacking); err != nil {
			return err
		}
	}
	sort.Slice(p.Missing, func(i, j int) bool { return p.Missing[i].Path < p.Missing[j].Path })
	return nil
}

// add adds a layer with the changes for which the contents exist.
func (p *Patch) add(ctx context.Context, index string, spans []pathSpan, lacking map[string]error) error {
	before, after := map[string]edits.File{}, map[string]edits.File{}
	for _, s := range spans {
		err := lacking[s.before.Hash]
		if !s.before.Exists() || err == nil && s.after.Exists() {
			err = lacking[s.after.Hash]
		}
		if err != nil {
			p.Missing = append(p.Missing, Refusal{s.path, err.Error()})
			continue
		}
		if s.before.Exists() {
			before[s.path] = s.before
		}
		after[s.path] = s.after
	}
	l := layer{index: index, renames: "--find-renames"}
	if linkGaveWay(spans) {
		l.renames = "--no-renames"
	}
	err := p.scratch.index(ctx, index, before)
	if err == nil {
		l.tree, err = p.scratch.tree(ctx, index)
	}
	if err == nil {
		err = p.scratch.index(ctx, index, after)
	}
	p.layers = append(p.layers, l)
	return err
}

// Text returns the patch as git diff prints it, with renames, for git apply on the state before the
// run. If binary is false it only names binary files.
func (p *Patch) Text(ctx context.Context, binary bool) ([]byte, error) {
	args := []string{"--patch"}
	if binary {
		args = append(args, "--binary")
	}
	var out bytes.Buffer
	for _, l := range p.layers {
		text, err := p.diff(ctx, l, args...)
		if err != nil {
			return nil, fmt.Errorf("make a patch: %w", err)
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// Changes returns the patch's paths with their counts, sorted by path.
func (p *Patch) Changes(ctx context.Context) ([]changeset.Change, error) {
	var all []changeset.Change
	for _, l := range p.layers {
		text, err := p.diff(ctx, l, "--raw", "--numstat", "-z")
		if err == nil {
			var list []changeset.Change
			list, err = history.ReadChanges(text)
			all = append(all, list...)
		}
		if err != nil {
			return nil, fmt.Errorf("list a patch: %w", err)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all, nil
}

// diff compares with a plumbing command, which the user's settings do not affect.
func (p *Patch) diff(ctx context.Context, l layer, how ...string) ([]byte, error) {
	args := append([]string{"diff-index", "--cached", l.renames, "-l1000", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=none", "--submodule=short", "--no-color", "-O/dev/null"}, how...)
	return p.scratch.git(ctx, l.index, nil, append(args, l.tree, "--")...)
}

// pathSpan is the change of one path from one moment to another.
type pathSpan struct {
	path          string
	before, after edits.File
}

// spansOf splits a rename into its two paths. A commit's change begins at the file in the work
// tree.
func spansOf(e edits.Change) []pathSpan {
	if e.OldPath == "" {
		return []pathSpan{{e.Path, beforeCommit(e, true), e.After}}
	}
	return []pathSpan{{e.OldPath, e.Before, edits.File{}}, {e.Path, edits.File{}, e.After}}
}

// beforeCommit returns the file before a commit's change: in HEAD, or in the work tree.
func beforeCommit(e edits.Change, inWorkTree bool) edits.File {
	if inWorkTree && e.Held != nil {
		return *e.Held
	}
	return e.Before
}

// layers adds up edits, oldest first, path by path. There is one layer unless others changed paths
// in between. Later changes of those paths are then in the next layer.
func layers(changes []edits.Change) [][]pathSpan {
	byPath := map[string][]pathSpan{}
	var order []string
	for _, e := range changes {
		if e.Stayed {
			continue
		}
		for _, s := range spansOf(e) {
			list, known := byPath[s.path]
			if !known {
				order = append(order, s.path)
			}
			if last := len(list) - 1; last >= 0 && list[last].after.Same(s.before) {
				list[last].after = s.after
				continue
			}
			byPath[s.path] = append(list, s)
		}
	}
	var out [][]pathSpan
	for _, path := range order {
		n := 0
		for _, s := range byPath[path] {
			if s.before.Same(s.after) {
				continue
			}
			if n == len(out) {
				out = append(out, nil)
			}
			out[n] = append(out[n], s)
			n++
		}
	}
	return out
}

// sweptPaths lists the paths that changed only in HEAD: a commit took in changes that the work tree
// held before the run and still holds.
func sweptPaths(changes []edits.Change, all [][]pathSpan) []string {
	listed := map[string]bool{}
	for _, spans := range all {
		for _, s := range spans {
			listed[s.path] = true
		}
	}
	var out []string
	for _, e := range changes {
		if (e.Held != nil || e.Stayed) && !listed[e.Path] && !e.Before.Same(e.After) {
			listed[e.Path] = true
			out = append(out, e.Path)
		}
	}
	return out
}

// linkGaveWay reports whether a folder replaced a link. A patch that renames the link does not show
// that it was one, and git apply refuses to go "beyond a symbolic link".
func linkGaveWay(spans []pathSpan) bool {
	for _, link := range spans {
		if link.before.Mode != git.ModeLink || link.after.Exists() {
			continue
		}
		for _, s := range spans {
			if s.after.Exists() && strings.HasPrefix(s.path, link.path+"/") {
				return true
			}
		}
	}
	return false
}
