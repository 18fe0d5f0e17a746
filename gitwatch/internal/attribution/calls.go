package attribution

import (
	"path"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/toolcalls"

	"github.com/bmatcuk/doublestar/v4"
)

// fileCall is a call with its paths relative to the work tree's root.
type fileCall struct {
	toolcalls.Call
	Wrote     map[string]toolcalls.Write
	names     map[string]bool
	patterns  []string
	saw, left map[string]time.Time // zero time: the file did not exist
	runBegan  time.Time
}

func fileCalls(p *repo.Place, list []toolcalls.Call, runBegan time.Time) []fileCall {
	out := make([]fileCall, 0, len(list))
	for _, c := range list {
		f := fileCall{Call: c, Wrote: map[string]toolcalls.Write{}, names: map[string]bool{}, runBegan: runBegan}
		for _, w := range c.Wrote {
			for _, name := range p.RelativePaths(w.Path) {
				f.Wrote[name] = w
			}
		}
		for _, name := range c.Names {
			if strings.ContainsAny(name, "*?[{") {
				f.patterns = append(f.patterns, pattern(p, name))
				continue
			}
			for _, relative := range p.RelativePaths(name) {
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

// writesTo reports whether the agent's file tool reports that it wrote a path.
func (c fileCall) writesTo(name string) bool {
	_, byTool := c.Wrote[name]
	return byTool
}

// pattern returns a shell pattern relative to the work tree.
func pattern(p *repo.Place, name string) string {
	for _, root := range []string{p.Top, p.Given} {
		if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
			return rel
		}
	}
	return name
}

func sights(at *repo.Place, list []toolcalls.FileState) map[string]time.Time {
	out := map[string]time.Time{}
	for _, s := range list {
		for _, name := range at.RelativePaths(s.Path) {
			out[name] = s.ChangedAt
		}
	}
	return out
}

// namesPath reports whether a call's command names a path as written. For a path that is gone, it
// is enough that it names a folder above it.
func (c fileCall) namesPath(m Change) bool {
	if c.names[m.Path] || slices.ContainsFunc(c.patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, m.Path) }) {
		return true
	}
	return !m.Exists && c.folderAbove(m.Path) != ""
}

// folderAbove returns the folder above a path that a call names, or "".
func (c fileCall) folderAbove(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if c.names[dir] {
			return dir
		}
	}
	return ""
}

// claims reports whether another run's call is evidence that it changed a path.
func (c fileCall) claims(m Change) bool {
	return c.writesTo(m.Path) || c.namesPath(m) && (c.changed(m) || c.mayHaveWritten(m))
}

// changed reports whether a path was changed within a call that names it: its state after the call
// differs from that before or, if the states are not known, its last change is within the call. A
// deletion without known states, and a call without a known end, prove nothing.
func (c fileCall) changed(m Change) bool {
	saw, sawIt := c.saw[m.Path]
	left, leftIt := c.left[m.Path]
	if sawIt && leftIt {
		return !saw.Equal(left)
	}
	if !m.Exists {
		return c.removedFolder(m.Path)
	}
	return !c.Ended.IsZero() && c.within(m.ChangedAt, c.Ended)
}

// removedFolder reports whether a call removed the folder of a path, in which no name had been
// added or removed since the run began.
func (c fileCall) removedFolder(name string) bool {
	dir := c.folderAbove(name)
	saw, sawIt := c.saw[dir]
	left, leftIt := c.left[dir]
	return dir != "" && dir == path.Dir(name) && sawIt && leftIt && !saw.IsZero() && left.IsZero() && !saw.After(c.runBegan)
}

// within reports whether a time is within a call that ended at the given time, which is zero if the
// end was not seen.
func (c fileCall) within(at, ended time.Time) bool {
	if at.IsZero() || at.Before(c.Began.Add(-tick)) {
		return false
	}
	return ended.IsZero() || !at.After(ended)
}

// mayHaveWritten reports whether a path that a call names was changed after the call began, if the
// call's end was not seen.
func (c fileCall) mayHaveWritten(m Change) bool {
	return c.Ended.IsZero() && (m.ChangedAt.IsZero() || c.within(m.ChangedAt, c.Ended))
}

// mayRemove reports whether a call may have changed or removed a path that it does not name. A file
// tool touches only the paths it names.
func (c fileCall) mayRemove(name string) bool { return len(c.Wrote) == 0 && !c.sawNoChange(name) }

// sawNoChange reports whether a path was the same before and after a call.
func (c fileCall) sawNoChange(name string) bool {
	saw, sawIt := c.saw[name]
	left, leftIt := c.left[name]
	return sawIt && leftIt && saw.Equal(left)
}

// callList finds the calls that may have made a change. A run may have made thousands of calls, and
// changed thousands of paths.
type callList struct {
	All       []fileCall       // by the time they began
	ended     []time.Time      // for each, until when it may have written; zero if unknown
	named     map[string][]int // the calls that name a path as written
	patterned []int            // the calls that name patterns

	begins, ends []time.Time // of all calls with a known end, sorted
}

// newCallList orders the calls of a run. A process that a call left running, and a call without a
// known end, may have written until the run ended.
func newCallList(all []fileCall, runEnded time.Time) callList {
	slices.SortStableFunc(all, func(a, b fileCall) int { return a.Began.Compare(b.Began) })
	l := callList{All: all, named: map[string][]int{}}
	for i, c := range all {
		for p := range c.Wrote {
			l.named[p] = append(l.named[p], i)
		}
		for p := range c.names {
			if _, both := c.Wrote[p]; !both {
				l.named[p] = append(l.named[p], i)
			}
		}
		if len(c.patterns) > 0 {
			l.patterned = append(l.patterned, i)
		}
		ended := c.Ended
		if c.Background || ended.IsZero() {
			ended = runEnded
		}
		l.ended = append(l.ended, ended)
		if !ended.IsZero() {
			l.begins, l.ends = append(l.begins, c.Began.Add(-tick)), append(l.ends, ended)
		}
	}
	slices.SortFunc(l.begins, time.Time.Compare)
	slices.SortFunc(l.ends, time.Time.Compare)
	return l
}

// naming returns the calls that name a path as written, in order. For a path that is gone, it is
// enough that they name a folder above it.
func (l *callList) naming(m Change) []fileCall {
	found := slices.Concat(l.named[m.Path], l.patterned)
	for dir := path.Dir(m.Path); !m.Exists && dir != "."; dir = path.Dir(dir) {
		found = append(found, l.named[dir]...)
	}
	slices.Sort(found)
	var out []fileCall
	for _, i := range slices.Compact(found) {
		if c := l.All[i]; c.writesTo(m.Path) || c.namesPath(m) {
			out = append(out, c)
		}
	}
	return out
}

// anyActive reports whether at this time a call was active, or a process that it left running, that
// may have changed a path. A call that saw the path unchanged has not changed it.
func (l *callList) anyActive(name string, at time.Time) bool {
	begun, _ := slices.BinarySearchFunc(l.begins, at, func(t, at time.Time) int {
		if t.After(at) {
			return 1
		}
		return -1 // after all that are not later
	})
	over, _ := slices.BinarySearchFunc(l.ends, at, time.Time.Compare)
	n := begun - over
	for _, i := range l.named[name] {
		if c := l.All[i]; !c.Background && c.sawNoChange(name) && !l.ended[i].IsZero() && c.within(at, l.ended[i]) {
			n--
		}
	}
	return n > 0
}
