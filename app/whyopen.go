package app

import (
	"path/filepath"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/gitwatch/calls"
	"agentflow/internal/gitdir"
	"agentflow/memory"
)

// openWriter is an open session that wrote the file.
type openWriter struct {
	id        string // of the entry that its turns will be
	entry     *api.WhyEntry
	certainty memory.Certainty // that a line which is not committed is the session's
}

// openWriter finds the newest open session that wrote the file; nil: none did.
func (w *whyFinder) openWriter() *openWriter {
	if !w.askedOpen {
		w.askedOpen = true
		for _, o := range w.mem.sessionsSoFar(w.ctx) {
			by := w.writerOf(o)
			switch {
			case by == nil:
			case w.open == nil:
				w.open = by
			default: // nothing tells which of the two put a line in
				w.open.certainty = memory.Possible
			}
		}
	}
	return w.open
}

// writerOf says how an open session wrote the file; nil: it did not.
func (w *whyFinder) writerOf(o executor.SoFar) *openWriter {
	var at []int
	var writes []calls.Write
	named := false
	for i, turn := range o.Turns {
		before := len(writes)
		for _, write := range turn.Wrote {
			if w.isAt(o.WorkTree, write.Path) {
				writes = append(writes, write)
			}
		}
		here := false
		for _, name := range turn.Named {
			here = here || w.isAt(o.WorkTree, name)
		}
		if named = named || here; here || len(writes) > before {
			at = append(at, i+1)
		}
	}
	if len(at) == 0 {
		return nil
	}
	e := o.Entry()
	return &openWriter{id: e.ID, certainty: w.certaintyOf(writes, named), entry: &api.WhyEntry{
		ID: e.ID, Kind: e.Kind, Title: memory.Title(e.Task), Task: o.Turns[at[len(at)-1]-1].Asked, Agent: e.Agent, SessionID: e.Session, StartedAt: e.Time,
		Open: true, Turns: at, Recalled: []api.Shown{}, Facts: []api.Shown{},
	}}
}

// isAt reports whether a path of a tool call is the file.
func (w *whyFinder) isAt(workTree, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(workTree, filepath.FromSlash(path))
	}
	return gitdir.Real(path) == w.place
}

// certaintyOf is how sure it is that a session with these writes put in a line that is not
// committed: it found the file as the last commit has it, and the file is as it left it.
func (w *whyFinder) certaintyOf(writes []calls.Write, named bool) memory.Certainty {
	if len(writes) == 0 {
		return memory.Possible
	}
	found := calls.NoText
	committed := w.content("HEAD:" + w.path)
	if committed != nil {
		found = calls.TextID(committed)
	}
	alone := true
	for _, write := range calls.Replay(writes, committed, calls.TextID(w.now), false) {
		alone = alone && write.Before == found
		found = write.After
	}
	switch {
	case alone && found == calls.TextID(w.now):
		return memory.Shown
	case alone || !named && writes[0].Before == "":
		return memory.Likely
	}
	return memory.Possible
}
