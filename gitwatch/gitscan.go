package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// needsGit is the error of an index that only git can read: it says what the
// index uses.
type needsGit string

func (e needsGit) Error() string { return "it uses " + string(e) }

// scan compares the work tree with HEAD's tree. The error says that nothing
// could be read.
func (r *Repo) scan(ctx context.Context, o *objects, tree git.ID, before *beforeWriter) (found, error) {
	var needs needsGit
	if r.shape.sha256 {
		return r.gitScan(ctx, o, tree)
	}
	all, err := r.scanTree(ctx, o, tree, before)
	if !errors.As(err, &needs) {
		return all, err
	}
	all, err = r.gitScan(ctx, o, tree)
	if err != nil && ctx.Err() == nil {
		err = &UnsupportedError{filepath.Join(r.gitDir, "index"), string(needs), err}
	}
	return all, err
}

// gitScan is scanTree by the git program.
func (r *Repo) gitScan(ctx context.Context, o *objects, tree git.ID) (found, error) {
	s := statusScan{repo: r}
	var err error
	if s.set, err = r.settings(); err != nil {
		return found{}, err
	}
	if s.attrs, err = r.attributes(s.set); err != nil {
		return found{}, fmt.Errorf("read git attributes: %w", err)
	}
	out, said, err := git.Said(ctx, r.root, nil, "-c", "core.untrackedCache=false", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return found{}, err
	}
	for line := range strings.Lines(said) {
		if s.linkedRules(line) {
			continue
		}
		s.problem("", errors.New(strings.TrimSpace(line))) // what it could not read is left out of the answer
	}
	paths, err := s.statusPaths(o, tree, splitZ(out))
	if err != nil {
		return found{}, err
	}
	flagged, err := s.flagged(ctx, o, tree)
	if err != nil {
		return found{}, err
	}
	s.files(ctx, joinPaths(append(paths, flagged...)))
	return found{s.dirty, s.problems, s.hidden, !s.set.fileMode, nil}, ctx.Err()
}

// statusPaths reads the records of git status. What git does not look at, as
// nested repositories, is hidden.
func (s *statusScan) statusPaths(o *objects, tree git.ID, records []string) ([]statusPath, error) {
	paths := make([]statusPath, 0, len(records))
	for _, record := range records {
		p, err := parseStatus(record)
		if err != nil {
			return nil, err
		}
		if p.ignored || strings.HasSuffix(p.path, "/") {
			if !isOwn(p.path) {
				s.hidden = append(s.hidden, p.path)
			}
			continue
		}
		if p.unmerged {
			if p.head, err = o.lookup(tree, p.path); err != nil {
				return nil, err
			}
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// flagged returns the files on disk that git status was told to take for
// unchanged (assume-unchanged, skip-worktree). Submodules are hidden.
func (s *statusScan) flagged(ctx context.Context, o *objects, tree git.ID) ([]statusPath, error) {
	out, err := s.repo.git(ctx, nil, "ls-files", "-v", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var paths []statusPath
	for _, record := range splitZ(out) {
		// TAG SP MODE SP ID SP STAGE TAB PATH
		head, path, _ := strings.Cut(record, "\t")
		fields := strings.Fields(head)
		if len(fields) != 4 {
			return nil, errNoStatus
		}
		index, ok := statusFile(fields[1], fields[2])
		switch tag := fields[0]; {
		case !ok:
			return nil, errNoStatus
		case index.Mode == git.ModeGitlink:
			s.hidden = append(s.hidden, path+"/")
		case tag == "S" || tag != strings.ToUpper(tag):
			if info, err := os.Lstat(filepath.Join(s.repo.root, filepath.FromSlash(path))); err != nil || info.IsDir() {
				continue
			}
			p := statusPath{path: path, index: index}
			if !s.set.fileMode {
				p.disk = index.Mode
			}
			if p.head, err = o.lookup(tree, path); err != nil {
				return nil, err
			}
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// statusScan turns what git status says into dirty files.
type statusScan struct {
	repo     *Repo
	set      settings
	attrs    *attributes
	read     int64 // bytes of files read so far
	dirty    []dirtyFile
	problems unreadPaths
	hidden   []string
}

func (s *statusScan) problem(path string, err error) {
	s.problems = append(s.problems, newUnread(path, err))
}

// linkedRules says whether git told that it does not follow a rule file that
// is a link, which is no failure:
//
//	warning: unable to access 'folder/.gitignore': Too many levels of symbolic links
func (s *statusScan) linkedRules(line string) bool {
	from, to := strings.IndexByte(line, '\''), strings.LastIndexByte(line, '\'')
	if from >= to {
		return false
	}
	path := filepath.FromSlash(line[from+1 : to])
	if name := filepath.Base(path); name != ".gitignore" && name != ".gitattributes" {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.repo.root, path))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func (s *statusScan) put(d dirtyFile) {
	if !d.Now.same(d.Head) || d.Unmerged {
		s.dirty = append(s.dirty, d)
	}
}

// files looks at each path on disk. Git is asked at once for the ids of all
// files that it may convert.
func (s *statusScan) files(ctx context.Context, paths []statusPath) {
	pending := map[string]dirtyFile{}
	for _, p := range paths {
		if ctx.Err() != nil {
			return
		}
		if isOwn(p.path) {
			continue
		}
		d := dirtyFile{Path: git.Name(p.path), Head: p.head, Unmerged: p.unmerged}
		acts, err := s.now(ctx, p, &d)
		switch {
		case err != nil:
			s.problem(p.path, err)
		case acts:
			pending[p.path] = d
		default:
			s.put(d)
		}
	}
	s.repo.convert(ctx, pending, s.put, s.problem)
}

// now fills in what stands on disk, and says whether git may convert it.
func (s *statusScan) now(ctx context.Context, p statusPath, d *dirtyFile) (acts bool, err error) {
	full := filepath.Join(s.repo.root, filepath.FromSlash(p.path))
	info, err := os.Lstat(full)
	switch absent := errors.Is(err, os.ErrNotExist) || git.IsNotDir(err); {
	case p.gone:
		d.Now = s.repo.leftSubmodule(ctx, p.path, p.head)
		return false, nil
	case absent && p.asIndex:
		d.Now = p.index // a sparse checkout leaves it out
		return false, nil
	case absent:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d.Now = file{Mode: s.mode(p, info), Size: info.Size(), MTime: info.ModTime().UnixNano(), disk: true}
	switch {
	case d.Now.Mode == git.ModeGitlink:
		d.Now = file{Mode: git.ModeGitlink, Hash: s.repo.submoduleHead(ctx, p.path, p.index.Hash)}
		return false, nil
	case d.Now.Mode == 0:
		d.Now = file{}
		return false, nil
	case p.asIndex:
		d.Now.Hash = p.index.Hash
		return false, nil
	case d.Now.Mode != git.ModeLink && (info.Size() > git.MaxRead || s.read > hashBudget):
		return false, nil // size and time stand for the contents
	}
	s.read += info.Size()
	content, err := git.ReadFile(full, d.Now.Mode, git.MaxRead)
	if err != nil {
		return false, err
	}
	raw := s.repo.BlobID(content)
	d.Now.Hash = raw
	if !git.IsRegular(d.Now.Mode) {
		return false, nil
	}
	convert, err := s.attrs.of(p.path)
	if !convert.acts(content) {
		return false, err
	}
	d.Now.Raw, d.Now.Filtered = raw, convert&convertFilter != 0
	return true, err
}

// mode is git's mode for a file on disk; 0 for what git does not keep.
func (s *statusScan) mode(p statusPath, info os.FileInfo) uint32 {
	switch {
	case p.disk != 0:
		return p.disk
	case info.Mode()&os.ModeSymlink != 0:
		return git.ModeLink
	case !info.Mode().IsRegular():
		return 0
	case s.set.fileMode && info.Mode()&0o100 != 0:
		return git.ModeExec
	}
	return git.ModeFile
}
