package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// headCommit is the id of HEAD; empty when it is unborn.
func (r *Repo) headCommit(ctx context.Context) (string, error) {
	store := r.store(ctx)
	defer store.close()
	_, id, err := store.head()
	if err != nil || id == "" {
		return "", err
	}
	return id.String(), nil
}

// checkCommits refuses what git itself could not revert now.
func (u *Undo) checkCommits(ctx context.Context) error {
	if len(u.request.Commits) == 0 {
		return nil
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(u.repo.gitDir, name)); err == nil {
			u.refuse("", "git is in the middle of a merge, rebase, cherry-pick or revert: finish or abort that first")
			return nil
		}
	}
	if u.head == "" {
		u.refuse("", "its commits are not on what is checked out")
		return nil
	}
	args := append([]string{"rev-list", "--max-count=1"}, u.request.Commits...)
	beside, err := u.repo.git(ctx, nil, append(args, "--not", u.head)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		u.refuse("", "its commits cannot be found any more: "+err.Error())
		return nil
	}
	if len(beside) > 0 {
		u.refuse("", "not all of its commits are on what is checked out")
	}
	return nil
}

// look reads what the work tree, the index and HEAD hold of the paths now.
func (u *Undo) look(ctx context.Context) error {
	byPath := map[string]*undoPath{}
	for _, p := range u.paths {
		byPath[p.path] = p
	}
	if u.head != "" {
		out, err := u.repo.git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", u.head)
		if err != nil {
			return err
		}
		// MODE SP TYPE SP ID TAB PATH
		for line := range strings.SplitSeq(string(out), "\x00") {
			head, path, _ := strings.Cut(line, "\t")
			if p, ok := byPath[path]; ok {
				f := strings.Fields(head)
				p.head.from = EditFile{Mode: git.CanonicalMode(octal(f[0])), Hash: f[2]}
			}
		}
	}
	out, err := u.repo.git(ctx, nil, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	// MODE SP ID SP STAGE TAB PATH
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		if p, ok := byPath[path]; ok {
			f := strings.Fields(head)
			p.index.from = EditFile{Mode: git.CanonicalMode(octal(f[0])), Hash: f[1]}
			p.unmerged = p.unmerged || f[2] != "0"
		}
	}
	return u.lookAtDisk(ctx)
}

func octal(s string) uint32 {
	n, _ := strconv.ParseUint(s, 8, 32)
	return uint32(n)
}

// lookAtDisk reads the work tree.
func (u *Undo) lookAtDisk(ctx context.Context) error {
	set, err := u.repo.settings()
	if err != nil {
		return err
	}
	dirs := &realDirs{root: u.repo.root, known: map[string]bool{"": true}}
	var regular []string
	for _, p := range u.paths {
		if p.now, err = u.repo.fileNow(ctx, dirs, set, p); err != nil {
			return fmt.Errorf("read %s: %w", p.path, git.WithoutPath(err))
		}
		if git.IsRegular(p.now.Mode) {
			regular = append(regular, p.path)
		}
	}
	ids, err := u.repo.cleanIDs(ctx, regular)
	if err != nil {
		return err
	}
	for _, p := range u.paths {
		if id, ok := ids[p.path]; ok {
			p.now.Hash = id
		}
	}
	return nil
}

// fileNow reads one path. What the disk cannot tell of a mode is as the run
// had it.
func (r *Repo) fileNow(ctx context.Context, dirs *realDirs, set settings, p *undoPath) (workFile, error) {
	real, err := dirs.real(p.path)
	if err != nil || !real {
		return workFile{}, err
	}
	full := filepath.Join(r.root, filepath.FromSlash(p.path))
	info, err := os.Lstat(full)
	if errors.Is(err, os.ErrNotExist) || git.IsNotDir(err) {
		return workFile{}, nil
	}
	if err != nil || info.IsDir() {
		return workFile{}, err
	}
	w := workFile{info: info}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		w.Mode = git.ModeLink
	case !info.Mode().IsRegular():
		return w, errors.New("it is neither a file nor a link")
	case !set.symlinks && p.last().Mode == git.ModeLink:
		w.Mode = git.ModeLink
	case set.fileMode && info.Mode()&0o100 != 0:
		w.Mode = git.ModeExec
	case !set.fileMode && p.last().Mode == git.ModeExec:
		w.Mode = git.ModeExec
	default:
		w.Mode = git.ModeFile
	}
	on := linkMode(statOf(info))
	if on == git.ModeLink || info.Size() <= git.MaxRead {
		var data []byte
		data, err = git.ReadFile(full, on, git.MaxRead)
		w.raw = r.BlobID(data)
		w.Hash = w.raw
	}
	return w, err
}

// last is what the run left at the path.
func (p *undoPath) last() EditFile {
	if p.edit != nil {
		return p.edit.after
	}
	return p.committed[len(p.committed)-1].After
}
