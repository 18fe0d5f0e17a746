package attribution

import (
	"slices"
	"time"
)

// Written sums up the reports of a run's file tools about one path.
type Written struct {
	Before, After string    // TextIDs of the text before the first call and after the last one; empty if unknown
	Began         time.Time // when the first call began
	Calls         int
	// Commanded says that a later command of the run names the path. After may then not be the
	// run's last text.
	Commanded bool
}

// Nothing reports whether the calls left the file as they found it.
func (w Written) Nothing() bool { return w.After != "" && w.Before == w.After }

// Changes reports whether the calls certainly changed the file.
func (w Written) Changes() bool { return w.Before != "" && w.After != "" && w.Before != w.After }

// Written returns the changes that the file tools of the run made to a path. ok is false if none
// wrote it.
func (a *Judge) Written(path string) (w Written, ok bool) {
	for _, i := range a.Calls.named[path] {
		c := a.Calls.All[i]
		write, byTool := c.Wrote[path]
		if !byTool {
			w.Commanded = w.Calls > 0
			continue
		}
		if w.Calls == 0 {
			w.Before, w.Began = write.Before, c.Began
		}
		w.After, w.Commanded = write.After, false
		w.Calls++
	}
	return w, w.Calls > 0
}

// WrittenPaths lists the paths that the file tools of the run wrote.
func (a *Judge) WrittenPaths() (paths []string) {
	for _, c := range a.Calls.All {
		for path := range c.Wrote {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// TookBack reports whether the run itself may have removed the text that its file tools wrote to a
// path: a later command names the path, or was running when the path last changed.
func (a *Judge) TookBack(m Change) bool {
	last := -1
	for i, c := range a.Calls.All {
		if c.writesTo(m.Path) {
			last = i
		}
	}
	return slices.ContainsFunc(a.Calls.All[last+1:], func(c fileCall) bool {
		switch {
		case len(c.Wrote) > 0:
			return false
		case c.namesPath(m):
			return true
		case m.Exists:
			return !m.ChangedAt.IsZero() && c.within(m.ChangedAt, c.Ended)
		}
		return c.Git && !m.ChangedAt.Before(c.Began.Add(-tick)) // for a path that is gone, only the last moment is known
	})
}

// Names reports whether a command of the run names a path as written.
func (a *Judge) Names(path string) bool {
	return len(a.Calls.naming(Change{Path: path, Exists: true})) > 0
}
