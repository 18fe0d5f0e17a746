package attribution

import (
	"slices"
	"strings"
	"time"
)

// hidden records what no executor could know about a path.
type hidden struct {
	undecidable bool
	theirsAt    time.Time // the ctime of somebody else's last change
	// covered reports that another writer changed the path during a call of a
	// file tool, after the tool wrote it. The text that the tool reports shows
	// this, until the run writes the file again.
	covered bool
	untold  bool // nothing shows the text that the run's last call left
}

// hide records the cases where a step looks like the run's: it happens during a
// call of the run that says that it writes the file but does not report both
// the text it expected and the text it wrote; it happens at the end of such a
// call, within the lag of the file system's clock; or the file is removed
// before an executor has read what the call left.
func (h *hidden) hide(st step, path string, is copied) {
	if st.who&theirs == 0 {
		if c := st.call; c != nil {
			h.undecidable = h.undecidable || h.covered && !(c.tool && c.tellsBefore)
			h.untold = !(c.tool && c.tellsAfter)
		}
		return
	}
	if st.who == other && st.call.claims(path) {
		return // its call reports the text
	}
	h.theirsAt = is.at
	for _, c := range st.during {
		found := c.tool && c.path == path && !c.done && h.untold
		h.undecidable = h.undecidable || c.hides(path) || found
		h.covered = h.covered || c.tool && c.path == path && c.done
	}
	h.undecidable = h.undecidable || slices.ContainsFunc(st.ended, func(c *call) bool {
		return c.hides(path) && (is.text == "" && c.left == late || is.text != "" && !is.at.After(c.told.Ended.Add(lag)))
	})
}

// hidesEarlier records what others wrote just before the beginning of a call
// that writes the same file, within the lag of the file system's clock.
func (c *call) hidesEarlier() {
	for path, f := range c.s.truth.paths {
		if !f.theirsAt.IsZero() && f.theirsAt.After(c.told.Began.Add(-lag)) && c.hides(path) {
			f.undecidable = true
		}
	}
}

// claims reports whether a call says that it writes a path.
func (c *call) claims(path string) bool {
	return c.tool && c.path == path || !c.tool && c.namesAs(path)
}

// namesAs reports whether an executor reads from a call that it writes a path.
func (c *call) namesAs(path string) bool {
	return slices.ContainsFunc(c.told.Names, func(word string) bool { return means(strings.TrimPrefix(word, c.s.dir+"/"), path) })
}

// hides reports whether nothing shows, for a path that another writer changes
// now, which of the texts is the call's.
func (c *call) hides(path string) bool {
	if c.tool {
		return c.path == path && !(c.done && c.tellsAfter) && !(!c.done && c.tellsBefore)
	}
	return c.namesAs(path)
}
