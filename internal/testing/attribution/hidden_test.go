package attribution

import (
	"slices"
	"strings"
	"time"
)

// hidden is what nobody could tell of a path, whatever an executor sees.
type hidden struct {
	undecidable bool
	theirsAt    time.Time // the ctime of somebody else's last change
	// covered: somebody else wrote it within a call of a file tool, after the
	// tool. What the tool says that it left tells that, until the run writes the
	// file again.
	covered bool
	untold  bool // nothing tells the text that the run's last call left
}

// hide notes where a step cannot be told from the run's: within a call of the
// run that says that it writes the file, and that does not tell which text it
// wrote, or not which one it should have found; at the end of one, within the lag of the file system's clock; or
// where the file was removed before anybody looked at what the call had left.
func (h *hidden) hide(st step, path string, is copied) {
	if st.who&theirs == 0 {
		if c := st.call; c != nil {
			h.undecidable = h.undecidable || h.covered && !(c.tool && c.tellsBefore)
			h.untold = !(c.tool && c.tellsAfter)
		}
		return
	}
	if st.who == other && st.call.claims(path) {
		return // its own call tells
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

// hidesEarlier notes what somebody else wrote just before a call began that
// writes it, within the lag of the file system's clock.
func (c *call) hidesEarlier() {
	for path, f := range c.s.truth.paths {
		if !f.theirsAt.IsZero() && f.theirsAt.After(c.told.Began.Add(-lag)) && c.hides(path) {
			f.undecidable = true
		}
	}
}

// claims says whether a call tells that it writes a path.
func (c *call) claims(path string) bool {
	return c.tool && c.path == path || !c.tool && c.namesAs(path)
}

// namesAs says whether an executor reads in a call that it writes a path.
func (c *call) namesAs(path string) bool {
	return slices.ContainsFunc(c.told.Names, func(word string) bool { return means(strings.TrimPrefix(word, c.s.dir+"/"), path) })
}

// hides says whether nothing tells, of a path that somebody else writes now,
// which of the texts is the call's.
func (c *call) hides(path string) bool {
	if c.tool {
		return c.path == path && !(c.done && c.tellsAfter) && !(!c.done && c.tellsBefore)
	}
	return c.namesAs(path)
}
