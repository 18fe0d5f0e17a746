package settle

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/turn"
	"agentflow/writeback/internal/view"
)

// Settler updates the log's knowledge of the files to edits that people made by hand.
type Settler struct{ *turn.Turn }

// Settle updates the log's knowledge of a file to the file's contents. base is the length of
// content before an interrupted append of batch. again holds entries that a stale save has just
// removed and that must be appended once more. An error that matches ErrReread asks the caller to
// read the file again.
func (w Settler) Settle(ctx context.Context, name string, content []byte, info fs.FileInfo, batch []journal.Record) (base int, again []journal.Record, err error) {
	last, ok := w.Seen.Files[name]
	if info == nil && !ok && !w.Full {
		return 0, nil, nil
	}
	if info != nil && ok && last.Matches(info) && (!w.Seen.Racy(info) || last.Sum == seen.StampOf(info, content).Sum) {
		return items.TornAt(content, batch), nil, nil
	}
	if err := w.Load(ctx); err != nil {
		return 0, nil, err
	}
	if info == nil {
		return 0, nil, w.fileGone(ctx, name)
	}
	old, there := w.View.Files.Find(name)
	if bytes.HasPrefix(content, old) && (there || len(content) > 0) {
		if _, fits := items.MissingTail(content, len(old), name, batch); fits {
			if len(content) == len(old) {
				w.See(name, seen.StampOf(info, content))
			}
			return len(old), nil, nil
		}
	}
	if text, ok := w.View.Rejoined(name, content, info, batch); ok {
		path := w.Folder.Path(name)
		if err := w.Folder.Inside(path); err != nil {
			return 0, nil, err
		}
		if _, err := atomicfile.ReplaceIf(w.Sys, path, content, text); err != nil {
			return 0, nil, err
		}
		return 0, nil, ErrReread
	}
	again, err = w.logHandEdit(ctx, name, content, info)
	return items.TornAt(content, batch), again, err
}

// fileGone handles one missing file: it went with its folder, or was deleted by hand.
func (w Settler) fileGone(ctx context.Context, name string) error {
	files, err := w.Folder.List()
	if err != nil {
		return err
	}
	if len(files) > 0 && !seen.DirChanged(w.Seen, w.Memory) {
		return w.logDeletedFile(ctx, name)
	}
	if err := w.scanMissing(ctx, files); err != nil {
		return err
	}
	if _, back := w.Seen.Files[name]; back {
		return ErrReread // it was restored with the folder
	}
	return nil
}

// ErrReread asks the caller to read a file again that was just repaired.
var ErrReread = errors.New("the file is to be read again")

// logHandEdit logs the current contents of a file that was changed by hand, the entries it lost,
// and those that are back.
func (w Settler) logHandEdit(ctx context.Context, name string, content []byte, info fs.FileInfo) (again []journal.Record, err error) {
	var records []journal.Record
	unseen := w.View.Unseen(name, info.ModTime())
	gone := items.Missing(w.View.Files.Get(name), content)
	if name != memory.FeedbackFile { // a person takes a judgement back by removing its line
		gone = append(gone, items.MissingFacts(w.View.Files.Get(name), content, unseen)...)
	}
	for _, e := range gone {
		switch {
		case w.View.Tombs[items.Tombstone(e.ID)] || w.View.Elsewhere(name, e.ID):
		case e.Holder != "" && !w.View.StoodBefore(name, info.ModTime(), content, e.Holder):
			// A person wrote that fact again.
		case w.View.Find(journal.OpEntry, e.ID) >= 0 || w.View.Find(journal.OpRestore, e.ID) >= 0:
			// It is still pending: an editor removed it after it was appended and before it was
			// marked done.
		case unseen[e.ID]:
			again = append(again, journal.Record{Op: journal.OpEntry, ID: e.ID, File: name, Title: e.Title, Text: e.Text})
		default:
			records = append(records, journal.Record{Op: journal.OpLost, ID: e.ID, File: name, Title: e.Title, Text: e.Text})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.View.Lost)) {
		if w.View.Lost[id].StandsIn(content) {
			records = append(records, journal.Record{Op: journal.OpFound, ID: id})
		}
	}
	records = append(append(records, again...), journal.Record{Op: journal.OpFile, File: name, Text: content})
	records = append(records, w.View.BackByStaleSave(name, content, info)...)
	// Unsynced: if this is lost, the same differences are found and logged again.
	if err := w.Log(ctx, false, records...); err != nil {
		return nil, err
	}
	w.See(name, seen.StampOf(info, content))
	return again, nil
}

func (w Settler) logDeletedFile(ctx context.Context, name string) error {
	old, ok := w.View.Files.Find(name)
	delete(w.Seen.Files, name)
	w.Dirty = true
	if !ok {
		return nil
	}
	var records []journal.Record
	entries := items.Missing(old, nil)
	if len(entries) == 0 && len(bytes.TrimSpace(old)) > 0 {
		entries = []items.EntryText{{Ref: items.WholeRef(name), Text: old}}
	}
	for _, e := range entries {
		if !w.View.Tombs[items.Tombstone(e.ID)] && !w.View.StandsInAnother(name, view.Lost{Ref: e.Ref, Text: e.Text}) {
			records = append(records, journal.Record{Op: journal.OpLost, ID: e.ID, File: name, Title: e.Title, Text: e.Text})
		}
	}
	return w.Log(ctx, false, append(records, journal.Record{Op: journal.OpNoFile, File: name})...)
}
