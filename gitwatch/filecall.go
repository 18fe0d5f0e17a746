package gitwatch

import (
	"path"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/calls"

	"github.com/bmatcuk/doublestar/v4"
)

// fileCall is a call with its paths relative to the work tree's root.
type fileCall struct {
	calls.Call
	wrote     map[string]calls.Write
	names     map[string]bool
	patterns  []string
	saw, left map[string]time.Time // the zero time: not there
	runBegan  time.Time
}

func fileCalls(p *place, list []calls.Call, runBegan time.Time) []fileCall {
	out := make([]fileCall, 0, len(list))
	for _, c := range list {
		f := fileCall{Call: c, wrote: map[string]calls.Write{}, names: map[string]bool{}, runBegan: runBegan}
		for _, w := range c.Wrote {
			for _, name := range p.below(w.Path) {
				f.wrote[name] = w
			}
		}
		for _, name := range c.Names {
			if strings.ContainsAny(name, "*?[{") {
				f.patterns = append(f.patterns, p.pattern(name))
				continue
			}
			for _, relative := range p.below(name) {
				f.names[relative] = true
			}
		}
		f.saw, f.left = sights(p, c.Saw), sights(p, c.Left)
		for name, at := range f.saw {
			if at.After(c.Began.Add(-tick)) {
				delete(f.saw, name) // looked at too late: the call had changed it by then
			}
		}
		out = append(out, f)
	}
	return out
}

// writesTo says whether the agent's own file tool says that it wrote a path.
func (c fileCall) writesTo(name string) bool {
	_, byTool := c.wrote[name]
	return byTool
}

// pattern is a shell pattern relative to the work tree.
func (p *place) pattern(name string) string {
	for _, root := range []string{p.top, p.given} {
		if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
			return rel
		}
	}
	return name
}

func sights(at *place, list []calls.Sight) map[string]time.Time {
	out := map[string]time.Time{}
	for _, s := range list {
		for _, name := range at.below(s.Path) {
			out[name] = s.ChangedAt
		}
	}
	return out
}

// namesPath says whether a call's command names a path as written; of one
// that is gone, a folder above it is enough.
func (c fileCall) namesPath(m moved) bool {
	if c.names[m.path] || slices.ContainsFunc(c.patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, m.path) }) {
		return true
	}
	return !m.here && c.folderAbove(m.path) != ""
}

// folderAbove is the folder above a path that a call names; empty for none.
func (c fileCall) folderAbove(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if c.names[dir] {
			return dir
		}
	}
	return ""
}

// claims says whether another run's call is evidence that it changed a path.
func (c fileCall) claims(m moved) bool {
	return c.writesTo(m.path) || c.namesPath(m) && (c.changed(m) || c.mayHaveWritten(m))
}

// changed says whether a path was changed within a call that names it: it
// stood there otherwise when the call ended than when it began or, where
// nobody looked, its last change falls into it. Of a deletion that nobody
// looked at, and of a call whose end nobody saw, nothing is known.
func (c fileCall) changed(m moved) bool {
	saw, sawIt := c.saw[m.path]
	left, leftIt := c.left[m.path]
	if sawIt && leftIt {
		return !saw.Equal(left)
	}
	if !m.here {
		return c.removedFolder(m.path)
	}
	return !c.Ended.IsZero() && c.within(m.changedAt, c.Ended)
}

// removedFolder says whether a call removed the folder of a path, in which
// nothing had come or gone since the run began.
func (c fileCall) removedFolder(name string) bool {
	dir := c.folderAbove(name)
	saw, sawIt := c.saw[dir]
	left, leftIt := c.left[dir]
	return dir != "" && dir == path.Dir(name) && sawIt && leftIt && !saw.IsZero() && left.IsZero() && !saw.After(c.runBegan)
}

// within says whether a time falls into a call that ended at the given time;
// the zero time is one that nobody saw.
func (c fileCall) within(at, ended time.Time) bool {
	if at.IsZero() || at.Before(c.Began.Add(-tick)) {
		return false
	}
	return ended.IsZero() || !at.After(ended)
}

// mayHaveWritten says that a path which a call names was changed after it began,
// and that nobody saw its end.
func (c fileCall) mayHaveWritten(m moved) bool {
	return c.Ended.IsZero() && (m.changedAt.IsZero() || c.within(m.changedAt, c.Ended))
}

// mayRemove says whether a call may have changed or removed a path that it
// does not name: a file tool touches only its own.
func (c fileCall) mayRemove(name string) bool { return len(c.wrote) == 0 && !c.sawNoChange(name) }

// sawNoChange says that a path stood there when the call ended as it did when
// it began.
func (c fileCall) sawNoChange(name string) bool {
	saw, sawIt := c.saw[name]
	left, leftIt := c.left[name]
	return sawIt && leftIt && saw.Equal(left)
}
