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

// scan lists the paths whose content differs from that of HEAD's tree. The
// problems are what could not be read; the error says that nothing could.
func (r *Repo) scan(ctx context.Context, o *objects, tree git.ID, before *beforeWriter) ([]dirtyFile, unreadPaths, error) {
	var needs needsGit
	if r.shape.sha256 {
		return r.gitScan(ctx, o, tree)
	}
	dirty, problems, err := r.scanTree(ctx, o, tree, before)
	if !errors.As(err, &needs) {
		return dirty, problems, err
	}
	dirty, problems, err = r.gitScan(ctx, o, tree)
	if err != nil && ctx.Err() == nil {
		err = &UnsupportedError{filepath.Join(r.gitDir, "index"), string(needs), err}
	}
	return dirty, problems, err
}

// gitScan is scanTree by the git program.
func (r *Repo) gitScan(ctx context.Context, o *objects, tree git.ID) ([]dirtyFile, unreadPaths, error) {
	s := statusScan{repo: r}
	var err error
	if s.set, err = r.settings(); err != nil {
		return nil, nil, err
	}
	if s.attrs, err = r.attributes(s.set); err != nil {
		return nil, nil, fmt.Errorf("read git attributes: %w", err)
	}
	out, said, err := git.Said(ctx, r.root, nil, "-c", "core.untrackedCache=false", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(said) {
		if s.linkedRules(line) {
			continue
		}
		s.problem("", errors.New(strings.TrimSpace(line))) // what it could not read is left out of the answer
	}
	records := splitZ(out)
	paths := make([]statusPath, 0, len(records))
	for _, record := range records {
		p, err := parseStatus(record)
		if err != nil {
			return nil, nil, err
		}
		if p.unmerged {
			if p.head, err = o.lookup(tree, p.path); err != nil {
				return nil, nil, err
			}
		}
		paths = append(paths, p)
	}
	s.files(ctx, joinPaths(paths))
	return s.dirty, s.problems, ctx.Err()
}

// statusScan turns what git status says into dirty files.
type statusScan struct {
	repo     *Repo
	set      settings
	attrs    *attributes
	read     int64 // bytes of files read so far
	dirty    []dirtyFile
	problems unreadPaths
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
		if isOwn(p.path) || strings.HasSuffix(p.path, "/") { // a nested repository ends in a slash
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
