package gitwatch

import (
	"context"
	"errors"
	"os"

	"agentflow/gitwatch/internal/git"
)

// otherPath is a path beside the merged index entries.
type otherPath struct {
	path      string
	head      file
	stat      fileStat // of an untracked file, which has been looked at
	unmerged  bool
	untracked bool
}

// rest lists what the merged entries do not cover: untracked files, names
// added without content, unmerged paths, and paths only HEAD has.
func (s *scan) rest(o *objects, tree git.ID, untracked []otherPath) ([]otherPath, error) {
	told := map[string]bool{} // of paths that may come twice
	out := untracked
	for i := range out {
		if head, differs := s.headOf[out[i].path]; differs {
			out[i].head, told[out[i].path] = head, true
		}
	}
	add := func(p otherPath) {
		if !told[p.path] && !isOwn(p.path) {
			told[p.path] = true
			out = append(out, p)
		}
	}
	for _, e := range s.index.odd {
		switch {
		case e.stage() == 0:
			add(otherPath{path: e.name, head: s.headOf[e.name]})
		case !told[e.name]:
			head, err := o.lookup(tree, e.name)
			if err != nil {
				return nil, err
			}
			add(otherPath{path: e.name, head: head, unmerged: true})
		}
	}
	for path, head := range s.headOf {
		if head.exists() && !s.compared(path) {
			add(otherPath{path: path, head: head})
		}
	}
	return out, nil
}

// compared says whether a path was compared as a merged entry.
func (s *scan) compared(path string) bool {
	e := s.index.find(path, s.index.folders[0])
	return e != nil && e.merged()
}

func (s *scan) other(ctx context.Context, p otherPath) {
	st, err := p.stat, error(nil)
	if !p.untracked {
		st, err = s.lstat(p.path)
	}
	if err != nil {
		s.problem(p.path, err)
		return
	}
	d := dirtyFile{Path: git.Name(p.path), Head: p.head, Unmerged: p.unmerged}
	if !st.there || st.kind == kindFolder {
		d.Now = s.leftSubmodule(ctx, p.path, p.head)
		s.put(d)
		return
	}
	if p.untracked && s.budget.Add(-min(st.size, git.MaxRead)) < 0 {
		d.Now = s.statOnly(st, nil)
		s.put(d)
		return
	}
	s.content(ctx, d, st, nil)
}

// lstat looks at a path without following links, its parents included.
func (s *scan) lstat(path string) (fileStat, error) {
	real, err := s.tree.dirs.real(path)
	if err != nil || !real {
		return fileStat{}, err
	}
	info, err := os.Lstat(s.full(path))
	if errors.Is(err, os.ErrNotExist) || git.IsNotDir(err) {
		return fileStat{}, nil
	}
	if err != nil {
		return fileStat{}, err
	}
	return statOf(info), nil
}
