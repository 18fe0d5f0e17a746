package why

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// leftRun is a run with a folder that still has the run's edits of the file.
type leftRun struct {
	id              string
	left, committed []edits.Change // of the file; left may be in another working tree
	archive         *edits.Archive // nil: it cannot be read
}

// leftLine names the run that put in a line by an edit. The zero value means that no kept
// edit put it in.
type leftLine struct {
	run       string
	certainty changeset.Certainty
	mixed     edits.Mixed
	committed bool // the run committed it
}

// leftRuns returns the runs that changed the file, the newest first, if their
// folders are kept. It leaves out runs that memory has forgotten.
func (w *remains) leftRuns() []*leftRun {
	if w.left != nil {
		return w.left
	}
	w.left = []*leftRun{}
	folders, _ := os.ReadDir(w.mem.Runs())
	for _, folder := range slices.Backward(folders) {
		dir := filepath.Join(w.mem.Runs(), folder.Name())
		if !folder.IsDir() || !memory.IsID(folder.Name()) {
			continue
		}
		left, err := edits.Load(dir)
		if err != nil {
			continue // a run that is active, or that kept nothing
		}
		committed, _ := edits.LoadCommitted(dir) // of the same document
		elsewhere, _ := edits.LoadElsewhere(dir)
		other := func(c edits.Change) bool { return !w.names[c.Path] && !w.names[c.OldPath] }
		r := &leftRun{id: folder.Name(), left: slices.DeleteFunc(left, other), committed: slices.DeleteFunc(committed, other)}
		r.left = append(r.left, slices.DeleteFunc(elsewhere, func(c edits.Change) bool { return !w.isFile(c) })...)
		if len(r.left)+len(r.committed) == 0 {
			continue
		}
		if b, ok := w.stored.entry(r.id); ok && !b.Entry.IsUndone() {
			r.archive, _ = edits.OpenArchive(dir)
			w.left = append(w.left, r)
		}
	}
	return w.left
}

// isFile reports whether a change outside of a run's work tree is one of the file: there,
// or in another work tree of this repository.
func (w *question) isFile(c edits.Change) bool {
	return c.File() == w.place || c.SameRepository && w.names[c.Path]
}

// close ends the reading of the runs' folders.
func (w *remains) close() {
	for _, r := range w.left {
		_ = r.archive.Close() // it was only read
	}
}

// file returns the contents of a run's file; nil if they were not kept. A file that did not
// exist has empty contents.
func (w *versions) file(r *leftRun, f edits.File) []byte {
	if !f.Exists() {
		return []byte{}
	}
	if f.Kept == "" && f.Hash != "" {
		return w.content(f.Hash)
	}
	content, err := r.archive.Contents(f)
	if err != nil || blame.IsBinary(content) {
		return nil
	}
	return content
}

// runsUntil selects the runs that began no later than time and, if before has an id,
// before that run.
type runsUntil struct {
	time   time.Time
	before string
}

// linesLeft returns, for each line of an earlier or present content, the run that put it
// in by an edit. name is the content's.
func (w *remains) linesLeft(name string, content []byte, until runsUntil) []leftLine {
	key := name + " " + until.before
	if lines, known := w.leftIn[key]; known {
		return lines
	}
	lines := make([]leftLine, len(splitLines(content)))
	w.leftIn[key] = lines
	for _, r := range w.leftRuns() {
		if w.stored.entries[r.id].Entry.Time.After(until.time) || until.before != "" && r.id >= until.before {
			continue
		}
		for i, c := range slices.Concat(r.left, r.committed) {
			w.takeLines(lines, content, r, c, i >= len(r.left))
		}
	}
	return lines
}

// takeLines assigns to a run the lines of content that one of its changes put in, except
// those that a newer run put in.
func (w *remains) takeLines(lines []leftLine, content []byte, r *leftRun, c edits.Change, committed bool) {
	before, after := w.versions.file(r, c.Before), w.versions.file(r, c.After)
	if before == nil || len(after) == 0 || c.Mixed == edits.MixedOnlyCommitted {
		return
	}
	by := leftLine{r.id, c.Certainty, c.Mixed, committed}
	switch {
	case !c.Certainty.Sure() || c.Mixed == edits.MixedYes || c.Mixed == edits.MixedUnknown && !committed:
		by.certainty = changeset.Possible
	case !bytes.Equal(content, after):
		by.certainty = changeset.Likely
	}
	for i, stems := range blame.Stems(content, before, after) {
		if stems && lines[i].run == "" {
			lines[i] = by
		}
	}
}

// leftAt returns the run that put in line (from 1) of a file, as the commit has
// the file.
func (w *remains) leftAt(commit, path string, line int, until runsUntil) leftLine {
	if len(w.leftRuns()) == 0 {
		return leftLine{}
	}
	content := w.versions.fileAt(commit, path)
	if content == nil {
		return leftLine{}
	}
	lines := w.linesLeft(commit+":"+path, content, until)
	if line > len(lines) {
		return leftLine{}
	}
	return lines[line-1]
}

// until returns the limit for the runs with edits that a commit can contain.
func (w *remains) until(commit string) runsUntil {
	return runsUntil{time: w.makers.blamed[commit].Time.Add(reflog.ClockSlack)}
}

// stoodBefore reports whether line (from 1) of a file in a run's first
// commit was already in the work tree before, so that the run only committed it.
func (w *remains) stoodBefore(run, commit, path string, line int) bool {
	r := w.leftRun(run)
	if r == nil {
		return false
	}
	for _, c := range r.committed {
		if c.Path != path {
			continue
		}
		if c.Mixed == edits.MixedOnlyCommitted {
			return true
		}
		content := w.versions.fileAt(commit, path)
		if c.Held == nil || content == nil {
			continue
		}
		if held := w.versions.file(r, *c.Held); held != nil {
			if at := blame.Match(held, content); line <= len(at) && at[line-1] >= 0 {
				return true
			}
		}
	}
	return false
}

// mixed reports whether a file had other changes during a run that
// committed it.
func (w *remains) mixed(run, path string) bool {
	r := w.leftRun(run)
	return r != nil && slices.ContainsFunc(r.committed, func(c edits.Change) bool { return c.Path == path && c.Mixed == edits.MixedYes })
}

// leftRun returns the run with an id, or nil if its folder says nothing about the file.
func (w *remains) leftRun(id string) *leftRun {
	if i := slices.IndexFunc(w.leftRuns(), func(r *leftRun) bool { return r.id == id }); i >= 0 {
		return w.left[i]
	}
	return nil
}
