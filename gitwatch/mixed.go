package gitwatch

import (
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/edits"
)

// chain follows one file through the calls of a run that wrote it. Each call
// must find what the one before it left, and what stands there in the end must
// be what the last one left; otherwise somebody else wrote in between.
type chain struct {
	*attribution
	m     moved
	good  time.Time // up to here all changes are known: of before the run, or its own
	text  string    // TextID of what the file held then; empty when not known
	there bool      // whether it was there then
	shell bool      // a command wrote it
	held  bool      // it was, after one of the calls, what is judged
	mixed edits.Mixed
}

// mixed says whether somebody else's change is inside one of the run's.
func (a *attribution) mixed(m moved, mine []fileCall) edits.Mixed {
	c := chain{attribution: a, m: m, good: a.started, there: m.existed, text: m.before()}
	for _, call := range mine {
		if call.writesTo(m.path) || call.changed(m) {
			c.call(call)
		}
	}
	if m.later {
		c.changedLater()
	} else {
		c.end()
	}
	return c.mixed
}

// worse keeps the worst that was found.
func (c *chain) worse(m edits.Mixed) {
	if c.mixed != edits.MixedYes && m != edits.MixedNo {
		c.mixed = m
	}
}

// call checks what a call found, and takes over what it left.
func (c *chain) call(call fileCall) {
	c.found(call)
	w, byTool := call.wrote[c.m.path]
	c.text, c.there, c.shell = "", true, c.shell || !byTool
	if byTool {
		c.text = w.After
	}
	left, looked := call.left[c.m.path]
	switch {
	case looked && left.IsZero():
		if byTool {
			c.worse(edits.MixedUnknown) // file tools remove nothing
		}
		c.good, c.text, c.there = call.Ended, calls.NoText, false
	case !looked:
		c.good = call.Ended
	case left.After(call.Ended) && !call.Ended.IsZero():
		c.good = call.Ended // somebody was faster than we looked
	default:
		c.good = left
	}
	c.held = c.held || c.text != "" && c.text == c.m.now()
}

// found checks what stood there when a call began.
func (c *chain) found(call fileCall) {
	w, byTool := call.wrote[c.m.path]
	if byTool && w.Before != "" && c.text != "" {
		if first := c.good.Equal(c.started); w.Before != c.text && !(first && w.Before == c.m.base()) {
			c.changedAt(call.saw[c.m.path])
		}
		if !c.m.mode {
			return // else the mode may be somebody's
		}
	}
	saw, looked := call.saw[c.m.path]
	switch {
	case !looked:
		c.worse(edits.MixedUnknown)
	case saw.IsZero():
		if c.there {
			c.worse(edits.MixedUnknown) // somebody, or another call, removed it before
		}
	case !c.there:
		c.worse(edits.MixedUnknown) // it was ignored before, or somebody made it
	case saw.After(c.good):
		c.changedAt(saw)
	}
}

// end checks what stands there now.
func (c *chain) end() {
	now := c.m.now()
	switch {
	case c.m.mode && !c.shell:
		c.worse(edits.MixedUnknown)
	case c.text != "" && now != "":
		if now != c.text || c.m.mode && c.m.changedAt.After(c.good) {
			c.changedAt(c.m.changedAt)
		}
	case !c.m.here && !c.there:
	case c.m.changedAt.IsZero():
		c.worse(edits.MixedUnknown)
	case !c.m.here:
		c.worse(edits.MixedUnknown) // it went after the last call that wrote it
	case c.m.changedAt.After(c.good):
		c.changedAt(c.m.changedAt)
	}
}

// changedLater checks what was committed and has changed since: it is the
// run's alone where a call left just that, or where all changes until now are
// those of commands.
func (c *chain) changedLater() {
	if !c.held && (c.text != "" || c.m.changedAt.IsZero() || c.m.changedAt.After(c.good)) {
		c.worse(edits.MixedUnknown)
	}
}

// changedAt takes note of a change that no call of the run tells of.
func (c *chain) changedAt(at time.Time) {
	switch {
	case at.IsZero() || !at.After(c.good) || c.calls.on(c.m.path, at):
		c.worse(edits.MixedUnknown) // a hook of the agent's, another tool, or somebody
	default:
		c.worse(edits.MixedYes)
	}
}

// committed says how far a path's content is the run's that its own commit holds:
// one that no call wrote was only committed.
func (a *attribution) committed(m moved) edits.Mixed {
	v := a.of(m)
	switch {
	case v.certainty != "" || a.ownTree:
		return v.mixed
	case m.changedAt.IsZero() || m.later:
		return edits.MixedUnknown
	}
	return edits.MixedSwept
}

// textID gives the TextID of a file when it is needed.
func (c *contents) textID(path string, f file) func() string {
	return func() string {
		if !f.exists() {
			return calls.NoText
		}
		if data, ok := c.get(path, f); ok {
			return calls.TextID(data)
		}
		return ""
	}
}
