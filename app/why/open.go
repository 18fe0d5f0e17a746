package why

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app/api"
	"agentflow/app/session"
	"agentflow/executor"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/gitdir"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// openWriter is an open session that wrote the file.
type openWriter struct {
	entry     *api.WhyEntry     // that its turns will be
	since     time.Time         // when the first of its turns that wrote the file began
	writes    []toolcalls.Write // of its file tools, in their order
	named     bool              // one of its commands names the file as written
	ambiguous bool              // an older open session wrote the file too

	judged map[string]changeset.Certainty // of the changes that were asked about, by their names
}

// openWriter finds the newest open session that wrote the file; nil: none did.
func (w *current) openWriter() *openWriter {
	if !w.askedOpen {
		w.askedOpen = true
		deps := session.Deps(w.ctx, w.mem)
		for _, o := range SessionsSoFar(w.ctx, w.mem) {
			by := w.writerOf(o)
			if by != nil {
				o.AddEdits(deps)
				by = w.writerOf(o)
			}
			switch {
			case by == nil:
			case w.open == nil:
				w.open = by
			default: // no evidence says which of the two put a line in
				w.open.ambiguous = true
			}
		}
	}
	return w.open
}

// writerOf reports how an open session wrote the file; nil if it did not.
func (w *question) writerOf(o executor.SoFar) *openWriter {
	var at []int
	by := &openWriter{judged: map[string]changeset.Certainty{}}
	for i, turn := range o.Turns {
		for _, write := range turn.Wrote {
			if w.isAt(o.WorkTree, write.Path) {
				by.writes = append(by.writes, write)
			}
		}
		by.named = by.named || w.namedIn(o.WorkTree, turn)
		if w.wroteIn(o.WorkTree, turn) {
			at = append(at, i+1)
		}
	}
	if len(at) == 0 {
		return nil
	}
	e := o.Entry()
	by.since = o.Turns[at[0]-1].Began
	by.entry = &api.WhyEntry{
		ID: e.ID, Kind: e.Kind, Title: memory.Title(e.Task), Task: o.Turns[at[len(at)-1]-1].Asked, Agent: e.Agent, SessionID: e.Session, StartedAt: e.Time,
		Open: true, Turns: at, Recalled: []api.Shown{}, Facts: []api.Shown{},
	}
	return by
}

// wroteIn reports whether a turn wrote the file.
func (w *question) wroteIn(workTree string, turn executor.TurnSoFar) bool {
	return w.namedIn(workTree, turn) || slices.ContainsFunc(turn.Wrote, func(write toolcalls.Write) bool { return w.isAt(workTree, write.Path) })
}

// namedIn reports whether a command of a turn names the file as written.
func (w *question) namedIn(workTree string, turn executor.TurnSoFar) bool {
	return slices.ContainsFunc(turn.Named, func(name string) bool { return w.isAt(workTree, name) })
}

// isAt reports whether a path of a tool call is the file.
func (w *question) isAt(workTree, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(workTree, filepath.FromSlash(path))
	}
	return gitdir.Real(path) == w.place
}

// uncommittedByOpen gives an uncommitted line to the open session that wrote the file. ok is false
// if none did, or if the run in l is a better answer.
func (w *current) uncommittedByOpen(by whose, l leftLine) (_ whose, ok bool) {
	if w.openWriter() == nil {
		return by, false
	}
	by.entry, by.remark = w.open.entry.ID, "not committed yet"
	by.certainty = w.open.between("", time.Now(), func() (before, after []byte) { return w.versions.content("HEAD:" + w.path), w.now })
	return by, l.run == "" || by.certainty == changeset.Shown
}

// committedByOpen gives a line of a commit to the open session that wrote the file before. ok is
// false if none did, or if another change may have put the line in.
func (w *current) committedByOpen(by whose) (_ whose, ok bool) {
	if w.openWriter() == nil || w.makers.blamed[by.commit].Time.Before(w.open.since.Truncate(time.Second)) {
		return by, false
	}
	by.entry, by.remark = w.open.entry.ID, fmt.Sprintf("committed since in %.7s", by.commit)
	by.certainty = w.open.between(by.commit+":"+by.path, w.makers.blamed[by.commit].Time, func() (before, after []byte) {
		return w.versions.fileAt(by.commit+"^", by.path), w.versions.fileAt(by.commit, by.path)
	})
	return by, by.certainty == changeset.Shown
}

// between returns how sure it is that the session made the change between two texts of the file.
// Writes after the time until are not in the change. It judges each change, which name tells apart,
// once: all lines of a change ask.
func (o *openWriter) between(name string, until time.Time, texts func() (before, after []byte)) changeset.Certainty {
	if known, ok := o.judged[name]; ok {
		return known
	}
	before, after := texts()
	found, left := toolcalls.NoText, toolcalls.TextID(after)
	if before != nil {
		found = toolcalls.TextID(before)
	}
	writes := slices.DeleteFunc(slices.Clone(o.writes), func(write toolcalls.Write) bool { return write.At.Truncate(time.Second).After(until) })
	certainty := o.certainty(toolcalls.Replay(writes, before, left, name != ""), found, left)
	if before != nil && bytes.Contains(before, crlf) != bytes.Contains(after, crlf) {
		certainty = changeset.Possible // a TextID does not see that all line ends were changed
	}
	o.judged[name] = certainty
	return certainty
}

var crlf = []byte("\r\n")

// certainty returns how sure it is that the session made the change between two texts of the
// file: its writes lead from the one to the other.
func (o *openWriter) certainty(writes []toolcalls.Write, before, after string) changeset.Certainty {
	unknown := len(writes) > 0 && writes[0].Before == "" && writes[0].Edit == nil && !o.named
	certainty := changeset.Possible
	if unknown {
		certainty = changeset.Likely
	}
	for from, write := range writes {
		if write.Before == before && certainty != changeset.Shown { // it may find the text again, after a checkout
			certainty = leads(writes[from:], before, after)
		}
	}
	if o.ambiguous {
		return changeset.Possible
	}
	return certainty
}

// leads returns how sure it is that writes, one after the other, lead from a text to another one.
func leads(writes []toolcalls.Write, before, after string) changeset.Certainty {
	found := before
	for _, write := range writes {
		if write.Before != found {
			return changeset.Possible // another change came in between
		}
		if found = write.After; found == after {
			return changeset.Shown
		}
	}
	return changeset.Likely
}
