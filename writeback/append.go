package writeback

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/settle"
	"agentflow/writeback/internal/turn"
)

// appender appends the entries of the log to Markdown, each once.
type appender struct {
	*turn.Turn
	settler settle.Settler
}

// appendAll appends the records to one file and marks them done. It checks by path that the file
// there holds them in the end, because an editor may have renamed another file over it.
func (w appender) appendAll(ctx context.Context, name string, batch []journal.Record) error {
	batch, err := w.admit(ctx, batch)
	if err != nil || len(batch) == 0 {
		return err
	}
	path := w.Folder.Path(name)
	if err := w.Folder.Inside(path); err != nil {
		return err
	}
	for range turn.MaxTries {
		batch, err = w.tryAppend(ctx, name, path, batch)
		if err != nil || len(batch) == 0 {
			return err
		}
	}
	return turn.ErrReplaced
}

// admit drops entries that were forgotten in the meantime and notes that repeat a fact, and marks
// them done.
func (w appender) admit(ctx context.Context, batch []journal.Record) ([]journal.Record, error) {
	var in, out []journal.Record
	for _, r := range batch {
		dropped := w.View.Tombs[items.Tombstone(r.ID)]
		if dropped {
			w.Degrade("entry " + r.ID + " was not written: it was forgotten")
		} else {
			var err error
			if dropped, err = w.repeats(ctx, r, in); err != nil {
				return nil, err
			}
		}
		if dropped {
			out = append(out, journal.Record{Op: journal.OpDone, Of: r.Op, ID: r.ID, Kept: true})
		} else {
			in = append(in, r)
		}
	}
	if len(out) == 0 {
		return in, nil
	}
	return in, w.Log(ctx, false, out...)
}

// tryAppend makes one attempt. left holds the records for the same file that are still to be
// written, including entries that an editor has just overwritten from a stale buffer.
func (w appender) tryAppend(ctx context.Context, name, path string, batch []journal.Record) (left []journal.Record, err error) {
	content, info, err := folder.Read(path)
	if err != nil {
		return nil, err
	}
	base, again, err := w.settler.Settle(ctx, name, content, info, batch)
	if errors.Is(err, settle.ErrReread) {
		return batch, nil
	}
	if err != nil || len(again) > 0 {
		return append(batch, again...), err
	}
	var fresh, standing []journal.Record
	for _, r := range batch {
		switch {
		case items.StandsIn(content[:base], r):
			standing = append(standing, r)
		case markdown.IsNote(r.Text) && markdown.HasNotes(content[:base]):
			left = append(left, r)
		default:
			fresh = append(fresh, r)
		}
	}
	if len(left) > 0 && base == len(content) {
		return batch, w.insertNotes(ctx, name, path, content, left)
	}
	w.keepNotes(content[:base], fresh, items.WithAppended)
	tail, _ := items.MissingTail(content, base, name, fresh)
	whole := append(slices.Clip(content), tail...)
	ok, now, err := w.Folder.Write(path, info, tail, int64(len(whole)))
	if err != nil || !ok && len(tail) > 0 {
		return batch, err
	}
	if !ok {
		now = info // replaced again, but the contents read held everything
	}
	w.See(name, seen.StampOf(now, whole))
	appended := len(fresh)
	if base < len(content) && len(w.View.Files.Get(name)) == len(content) {
		// The log's copy of the file already held the torn beginning.
		appended = 0
		if err := w.Log(ctx, false, journal.Record{Op: journal.OpFile, File: name, Text: whole}); err != nil {
			w.Degrade(err.Error())
		}
	}
	w.mark(ctx, name, now, append(fresh, standing...), appended)
	return left, nil
}

// insertNotes inserts notes after the existing notes of a file. The next attempt finds them there.
func (w appender) insertNotes(ctx context.Context, name, path string, content []byte, notes []journal.Record) error {
	w.keepNotes(content, notes, items.WithNote)
	text := content
	for _, r := range notes {
		text = items.WithNote(text, r)
	}
	made, err := atomicfile.ReplaceIf(w.Sys, path, content, text)
	if err != nil || !made {
		return err
	}
	return w.Replaced(ctx, name, path, text)
}

// mark logs, unsynced, which records are done. If that is lost, the next writer finds the entries
// in the file. The first fresh records were appended, the others were in the file already.
func (w appender) mark(ctx context.Context, name string, info fs.FileInfo, records []journal.Record, fresh int) {
	var done []journal.Record
	for i, r := range records {
		done = append(done, journal.Record{Op: journal.OpDone, Of: r.Op, ID: r.ID, Kept: i >= fresh, Stamp: info.ModTime().UnixNano()})
		w.Report.Finished = append(w.Report.Finished, Ref{ID: r.ID, Title: r.Title, File: r.File})
	}
	if w.Late != nil {
		w.Late.Done[w.Folder.Path(name)] = append(w.Late.Done[w.Folder.Path(name)], done...)
		return
	}
	w.LogDone(ctx, done)
}
