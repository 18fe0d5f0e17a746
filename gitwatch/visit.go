package gitwatch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"agentflow/gitwatch/internal/git"
)

// visits goes through the folders of a work tree.
type visits struct {
	*scan
	mu    sync.Mutex
	found []otherPath // untracked files
	next  []string    // untracked folders that are still to be visited
}

// visit compares all tracked files by stat and returns the untracked ones.
func (s *scan) visit(ctx context.Context) []otherPath {
	v := &visits{scan: s}
	parts := s.index.parts()
	each(ctx, len(parts), func(i int) { v.part(ctx, parts[i]) })
	for len(v.next) > 0 {
		folders := v.next
		v.next = nil
		each(ctx, len(folders), func(i int) { v.untracked(folders[i]) })
	}
	return v.found
}

// maxPart is how many entries of one folder are compared at a time, so that
// a folder of many files is shared among the processors.
const maxPart = 2048

// part is one folder of the index, or some of its entries.
type part struct {
	*folderVisit
	entries span
}

// folderVisit is one folder whose parts are being compared.
type folderVisit struct {
	*folder
	files atomic.Int64 // tracked files that are there
	left  atomic.Int64 // parts that are still to be compared
}

// parts are the pieces of work that the index makes.
func (x *gitIndex) parts() []part {
	var parts []part
	for _, f := range x.folders {
		if isOwn(f.path) {
			continue
		}
		visit := &folderVisit{folder: f}
		before := len(parts)
		for _, s := range f.spans {
			for from := s.from; from < s.to; from += maxPart {
				parts = append(parts, part{visit, span{from, min(from+maxPart, s.to)}})
			}
		}
		if len(parts) == before { // it holds nothing but folders
			parts = append(parts, part{folderVisit: visit})
		}
		visit.left.Store(int64(len(parts) - before))
	}
	return parts
}

// part compares entries of a folder; the last one looks at what else is
// there. Names of the index that are no files, as AgentFlow's own, only make
// the folder's names be compared.
func (v *visits) part(ctx context.Context, p part) {
	d, err := v.tree.open(p.path)
	if err != nil && !errors.Is(err, errNoFolder) {
		v.problem(p.path, err)
		return
	}
	if d != nil {
		defer d.close()
	}
	for i := p.entries.from; i < p.entries.to; i++ {
		e := &v.index.entries[i]
		if i > 0 && v.index.entries[i-1].name == e.name || isOwn(e.name) {
			continue // a side of a conflict
		}
		v.entry(ctx, e, d, p.folderVisit)
	}
	if p.left.Add(-1) == 0 && d != nil {
		v.beside(p.folder, d, int(p.files.Load()))
	}
}

// entry compares one entry; d is nil where its folder is not there.
func (v *visits) entry(ctx context.Context, e *indexEntry, d *openDir, f *folderVisit) {
	var st fileStat
	if d != nil {
		var err error
		if st, err = d.stat(e.name[len(f.path):]); err != nil {
			v.problem(e.name, err)
			return
		}
	}
	if st.there && st.kind != kindFolder {
		f.files.Add(1)
	}
	if e.merged() {
		v.compare(ctx, e, st)
	}
}

// beside looks for what is not tracked in a folder of the index. Where it
// holds as many files as are tracked and present, these are all, and no name
// has to be compared.
func (v *visits) beside(f *folder, d *openDir, present int) {
	names, err := v.names(f.path, d, present)
	if err != nil {
		v.problem(f.path, err)
		return
	}
	for _, name := range names.folders {
		switch {
		case v.isGitlink(f, name):
			v.hide(f.path + name + "/")
		case f.sub(name) == nil:
			v.enter(f.path + name)
		}
	}
	for name := range names.each() {
		if !v.index.holds(f, name) {
			v.file(f.path, string(name), d)
		}
	}
}

func (v *visits) isGitlink(f *folder, name string) bool {
	e := v.index.find(f.path+name, f)
	return e != nil && e.mode() == git.ModeGitlink
}
