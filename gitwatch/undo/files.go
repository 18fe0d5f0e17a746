package undo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// changeWorkTree restores the work tree's files. It prepares all contents before the first change.
// Then it removes files and puts others in place, each in one step.
func (u *Plan) changeWorkTree(ctx context.Context, done *steps) error {
	var gone, back []*pathPlan
	for _, p := range u.paths {
		switch {
		case p.changesWorkTree() && p.work.Exists():
			back = append(back, p)
		case p.changesWorkTree():
			gone = append(gone, p)
		}
	}
	if err := u.makeReady(ctx, back); err != nil {
		return err
	}
	slices.Reverse(gone)
	for i, p := range slices.Concat(gone, back) {
		if p.work.Exists() && p.ready == "" {
			u.leaveAsIs(p, "its line ends were not all alike, and git keeps them otherwise")
			continue
		}
		if err := u.replace(p, fmt.Sprintf("was%d", i), done); err != nil {
			return err
		}
	}
	return nil
}

// makeReady writes the files outside the work tree in their final form.
func (u *Plan) makeReady(ctx context.Context, list []*pathPlan) error {
	fromGit := map[string]edits.File{}
	for i, p := range list {
		if p.work.Kept == "" {
			fromGit[p.path] = p.work
			p.ready = u.scratch.file("out/" + p.path)
			continue
		}
		p.ready = u.scratch.file(fmt.Sprintf("kept%d", i))
		data, err := u.archive.Contents(p.work)
		if err == nil {
			err = writeFile(p.ready, p.work.Mode, data)
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", p.path, git.WithoutPath(err))
		}
	}
	if len(fromGit) > 0 {
		if err := u.checkOut(ctx, list, fromGit); err != nil {
			return err
		}
	}
	for _, p := range list {
		if err := p.keepMode(); err != nil {
			return fmt.Errorf("make %s: %w", p.path, git.WithoutPath(err))
		}
	}
	return nil
}

func writeFile(name string, mode uint32, data []byte) error {
	switch mode {
	case git.ModeLink:
		return os.Symlink(filepath.FromSlash(string(data)), name)
	case git.ModeExec:
		return os.WriteFile(name, data, 0o777)
	}
	return os.WriteFile(name, data, 0o666)
}

// keepMode gives the ready file the mode of the one it replaces, except for the exec bit.
func (p *pathPlan) keepMode() error {
	if p.ready == "" || p.now.Info == nil || !p.now.Info.Mode().IsRegular() || !git.IsRegular(p.work.Mode) {
		return nil
	}
	mode := p.now.Info.Mode().Perm()
	switch {
	case p.work.Mode == p.now.Mode:
	case p.work.Mode == git.ModeExec:
		mode |= mode & 0o444 >> 2
	default:
		mode &^= 0o111
	}
	return os.Chmod(p.ready, mode)
}

// checkOut lets git write files as it would write them into the work tree, and gives them the line
// ends that they had on disk. Because git only removes a CR before a LF, the size on disk shows
// which they were if all lines had the same, with or without CR. A file with mixed line ends is not
// ready.
func (u *Plan) checkOut(ctx context.Context, list []*pathPlan, files map[string]edits.File) error {
	if err := u.scratch.index(ctx, "out.index", files); err != nil {
		return err
	}
	if _, err := u.scratch.git(ctx, "out.index", nil, "checkout-index", "--all", "--force", "--prefix="+u.scratch.file("out")+"/"); err != nil {
		return err
	}
	var other []*pathPlan // git wrote them with another size
	for _, p := range list {
		if p.work.Kept != "" || p.work.Size == 0 || !git.IsRegular(p.work.Mode) {
			continue
		}
		info, err := os.Lstat(p.ready)
		if err != nil {
			return fmt.Errorf("make %s: %w", p.path, git.WithoutPath(err))
		}
		if info.Size() != p.work.Size {
			other = append(other, p)
		}
	}
	filtered, err := u.tree.filtered(ctx, other)
	if err != nil {
		return err
	}
	for _, p := range other {
		if filtered[p.path] {
			continue
		}
		blob, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", p.work.Hash)
		if err != nil {
			return err
		}
		switch p.work.Size {
		case int64(len(blob)):
		case int64(len(blob) + bytes.Count(blob, []byte{'\n'})):
			blob = bytes.ReplaceAll(blob, []byte{'\n'}, []byte("\r\n"))
		default:
			p.ready = ""
			continue
		}
		if err := os.WriteFile(p.ready, blob, 0o666); err != nil {
			return fmt.Errorf("make %s: %w", p.path, git.WithoutPath(err))
		}
	}
	return nil
}

// filtered finds the paths that git converts by more than line ends.
func (t workTree) filtered(ctx context.Context, list []*pathPlan) (map[string]bool, error) {
	out := map[string]bool{}
	if len(list) == 0 {
		return out, nil
	}
	var paths strings.Builder
	for _, p := range list {
		paths.WriteString(p.path + "\x00")
	}
	answer, err := git.Ask(ctx, string(t), strings.NewReader(paths.String()), "check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding")
	for fields := range slices.Chunk(git.SplitZ(string(answer)), 3) { // path, attribute, value
		if value := fields[len(fields)-1]; value != "unspecified" && value != "unset" {
			out[fields[0]] = true
		}
	}
	return out, err
}

// replace puts the ready file of a path in its place. If there is none, it removes the file at the
// path, with the folders that become empty. backup is the name of the old file among the temporary
// files.
func (u *Plan) replace(p *pathPlan, backup string, done *steps) error {
	if err := u.tree.unchanged(p); err != nil {
		return err
	}
	name := u.tree.full(p.path)
	back, err := u.backUp(p, name, backup)
	switch {
	case err != nil:
	case p.ready == "":
		err = os.Remove(name)
	default:
		err = moveInPlace(p.ready, name)
	}
	if err != nil {
		return fmt.Errorf("put %s back: %w", p.path, git.WithoutPath(err))
	}
	done.add(back)
	if p.ready == "" {
		u.tree.removeEmptied(p.path)
	}
	return nil
}

// backUp copies the file at a path, and returns a function that restores it.
func (u *Plan) backUp(p *pathPlan, name, backup string) (back func() error, err error) {
	if !p.now.Exists() {
		removeEmpty(name)
		return func() error {
			err := os.Remove(name)
			u.tree.removeEmptied(p.path)
			return err
		}, nil
	}
	copied, err := u.backupName(p, backup)
	if err == nil {
		err = copyTo(name, copied, p.now)
	}
	return func() error { return moveInPlace(copied, name) }, err
}
