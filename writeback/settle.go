package writeback

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// settler updates the log's knowledge of the files to edits that people made by hand.
type settler struct{ *turn }

// settle updates the log's knowledge of a file to the file's contents. base is the length of
// content before an interrupted append of batch. again holds entries that a stale save has just
// removed and that must be appended once more. An error that matches errReread asks the caller to
// read the file again.
func (w settler) settle(ctx context.Context, name string, content []byte, info fs.FileInfo, batch []journal.Record) (base int, again []journal.Record, err error) {
	last, ok := w.seen.files[name]
	if info == nil && !ok && !w.full {
		return 0, nil, nil
	}
	if info != nil && ok && last.matches(info) && (!w.seen.racy(info) || last.sum == stampOf(info, content).sum) {
		return tornAt(content, batch), nil, nil
	}
	if err := w.load(ctx); err != nil {
		return 0, nil, err
	}
	if info == nil {
		return 0, nil, w.fileGone(ctx, name)
	}
	old, there := w.view.files.find(name)
	if bytes.HasPrefix(content, old) && (there || len(content) > 0) {
		if _, fits := missingTail(content, len(old), name, batch); fits {
			if len(content) == len(old) {
				w.see(name, stampOf(info, content))
			}
			return len(old), nil, nil
		}
	}
	if text, ok := w.view.rejoined(name, content, info, batch); ok {
		path := w.folder.path(name)
		if err := w.folder.inside(path); err != nil {
			return 0, nil, err
		}
		if _, err := atomicfile.ReplaceIf(w.sys, path, content, text); err != nil {
			return 0, nil, err
		}
		return 0, nil, errReread
	}
	again, err = w.logHandEdit(ctx, name, content, info)
	return tornAt(content, batch), again, err
}

// fileGone handles one missing file: it went with its folder, or was deleted by hand.
func (w settler) fileGone(ctx context.Context, name string) error {
	files, err := w.folder.list()
	if err != nil {
		return err
	}
	if len(files) > 0 && !dirChanged(w.seen, w.Memory) {
		return w.logDeletedFile(ctx, name)
	}
	if err := w.scanMissing(ctx, files); err != nil {
		return err
	}
	if _, back := w.seen.files[name]; back {
		return errReread // it was restored with the folder
	}
	return nil
}

// errReread asks the caller to read a file again that was just repaired.
var errReread = errors.New("the file is to be read again")

// logHandEdit logs the current contents of a file that was changed by hand, the entries it lost,
// and those that are back.
func (w settler) logHandEdit(ctx context.Context, name string, content []byte, info fs.FileInfo) (again []journal.Record, err error) {
	var records []journal.Record
	unseen := w.view.unseen(name, info.ModTime())
	gone := missing(w.view.files.get(name), content)
	if name != memory.FeedbackFile { // a person takes a judgement back by removing its line
		gone = append(gone, missingFacts(w.view.files.get(name), content, unseen)...)
	}
	for _, e := range gone {
		switch {
		case w.view.tombs[tombstone(e.ID)] || w.view.elsewhere(name, e.ID):
		case e.holder != "" && !w.view.stoodBefore(name, info.ModTime(), content, e.holder):
			// A person wrote that fact again.
		case w.view.find(journal.OpEntry, e.ID) >= 0 || w.view.find(journal.OpRestore, e.ID) >= 0:
			// It is still pending: an editor removed it after it was appended and before it was
			// marked done.
		case unseen[e.ID]:
			again = append(again, journal.Record{Op: journal.OpEntry, ID: e.ID, File: name, Title: e.Title, Text: e.text})
		default:
			records = append(records, journal.Record{Op: journal.OpLost, ID: e.ID, File: name, Title: e.Title, Text: e.text})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.view.lost)) {
		if w.view.lost[id].standsIn(content) {
			records = append(records, journal.Record{Op: journal.OpFound, ID: id})
		}
	}
	records = append(append(records, again...), journal.Record{Op: journal.OpFile, File: name, Text: content})
	records = append(records, w.view.backByStaleSave(name, content, info)...)
	// Unsynced: if this is lost, the same differences are found and logged again.
	if err := w.log(ctx, false, records...); err != nil {
		return nil, err
	}
	w.see(name, stampOf(info, content))
	return again, nil
}

func (w settler) logDeletedFile(ctx context.Context, name string) error {
	old, ok := w.view.files.find(name)
	delete(w.seen.files, name)
	w.dirty = true
	if !ok {
		return nil
	}
	var records []journal.Record
	entries := missing(old, nil)
	if len(entries) == 0 && len(bytes.TrimSpace(old)) > 0 {
		entries = []entryText{{Ref: wholeRef(name), text: old}}
	}
	for _, e := range entries {
		if !w.view.tombs[tombstone(e.ID)] && !w.view.standsInAnother(name, lost{Ref: e.Ref, text: e.text}) {
			records = append(records, journal.Record{Op: journal.OpLost, ID: e.ID, File: name, Title: e.Title, Text: e.text})
		}
	}
	return w.log(ctx, false, append(records, journal.Record{Op: journal.OpNoFile, File: name})...)
}
