package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// settle updates the log's knowledge of a file to the file's contents. base is the length of
// content before an interrupted append of batch. again holds entries that a stale save has just
// removed and that must be appended once more. An error that matches errReread asks the caller to
// read the file again.
func (w *writer) settle(ctx context.Context, name string, content []byte, info fs.FileInfo, batch []journal.Record) (base int, again []journal.Record, err error) {
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
	if text, ok := w.rejoined(name, content, info, batch); ok {
		path := w.path(name)
		if err := w.inside(path); err != nil {
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
func (w *writer) fileGone(ctx context.Context, name string) error {
	files, err := w.list()
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

func (w *writer) see(name string, s stamp) {
	if w.seen.files[name] != s {
		w.seen.files[name], w.dirty = s, true
	}
}

// logHandEdit logs the current contents of a file that was changed by hand, the entries it lost,
// and those that are back.
func (w *writer) logHandEdit(ctx context.Context, name string, content []byte, info fs.FileInfo) (again []journal.Record, err error) {
	var records []journal.Record
	unseen := w.view.unseen(name, info.ModTime())
	gone := missing(w.view.files.get(name), content)
	if name != memory.FeedbackFile { // a person takes a judgement back by removing its line
		gone = append(gone, missingFacts(w.view.files.get(name), content, unseen)...)
	}
	for _, e := range gone {
		switch {
		case w.view.tombs[tombstone(e.ID)] || w.elsewhere(name, e.ID):
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
	records = append(records, w.backByStaleSave(name, content, info)...)
	// Unsynced: if this is lost, the same differences are found and logged again.
	if err := w.log(ctx, false, records...); err != nil {
		return nil, err
	}
	w.see(name, stampOf(info, content))
	return again, nil
}

func (w *writer) logDeletedFile(ctx context.Context, name string) error {
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
		if !w.view.tombs[tombstone(e.ID)] && !w.standsInAnother(name, lost{Ref: e.Ref, text: e.text}) {
			records = append(records, journal.Record{Op: journal.OpLost, ID: e.ID, File: name, Title: e.Title, Text: e.text})
		}
	}
	return w.log(ctx, false, append(records, journal.Record{Op: journal.OpNoFile, File: name})...)
}

// elsewhere reports whether another file is known to hold the id. An entry that was moved is not
// lost.
func (w *writer) elsewhere(name, id string) bool {
	return w.standsInAnother(name, lost{Ref: Ref{ID: id}})
}

func (w *writer) standsInAnother(name string, l lost) bool {
	for other, content := range w.view.files.all() {
		if other != name && l.standsIn(content) {
			return true
		}
	}
	return false
}

func isWholeFile(id string) bool { return strings.HasPrefix(id, memory.WholeFile("")) }

// wholeRef names a whole file.
func wholeRef(name string) Ref {
	return Ref{ID: memory.WholeFile(name), Title: "the whole file " + name, File: name}
}

// standsIn reports whether content holds a lost entry or fact, by its id, or the whole text of a
// lost file.
func (l lost) standsIn(content []byte) bool {
	if isWholeFile(l.ID) {
		return bytes.Contains(content, bytes.TrimSpace(l.text))
	}
	return bytes.Contains(content, []byte(l.ID)) && holds(content, l.ID)
}

// tornLeast is the least number of bytes at the end of a file that count as the remains of an
// interrupted append: the heading's date and time.
const tornLeast = len("## 2026-11-21 14:32")

// tornAt returns where a torn entry begins at the end of content, or the length of content. It
// serves files that were edited by hand after an append was interrupted, or by an editor that read
// half of one. missingTail serves all others.
func tornAt(content []byte, batch []journal.Record) int {
	for _, r := range batch {
		for n := min(len(r.Text)-1, len(content)); n >= tornLeast; n-- {
			at := len(content) - n
			if content[at] == r.Text[0] && (at == 0 || content[at-1] == '\n') && bytes.Equal(content[at:], r.Text[:n]) {
				return at
			}
		}
	}
	return len(content)
}

// scan settles every file of the memory folder. A folder that vanished, or was created again since
// it was last seen, gets all its files back. Single missing files were deleted by hand.
func (w *writer) scan(ctx context.Context) error {
	if w.scanned {
		return nil
	}
	w.scanned = true
	w.recoverSwaps()
	files, err := w.list()
	if err != nil {
		return err
	}
	for name, info := range files {
		s, ok := w.seen.files[name]
		if ok && s.matches(info) && !w.seen.racy(info) {
			continue
		}
		if info.Size() > w.mostTaken {
			w.skipLarge(name, info, ok && s.matches(info))
			continue
		}
		if err := w.settleFile(ctx, name); err != nil {
			return err
		}
	}
	return w.scanMissing(ctx, files)
}

// MaxTaken is the size in bytes above which the log keeps no copy of a memory file.
const MaxTaken = 32 << 20

// skipLarge leaves a file out of the log that is too large for it. The log keeps its last copy.
func (w *writer) skipLarge(name string, info fs.FileInfo, reported bool) {
	if !reported {
		w.degrade(fmt.Sprintf("%s has %d MB, more than %d: the log keeps no copy of it, so that it cannot be restored", name, info.Size()>>20, w.mostTaken>>20))
	}
	w.see(name, stamp{info.Size(), info.ModTime().UnixNano(), inodeOf(info), tooLarge})
}

// tooLarge takes the place of the hash of a file that was not read.
const tooLarge = "-"

// settleFile settles one file, and tries again while editors replace it.
func (w *writer) settleFile(ctx context.Context, name string) error {
	for range maxTries {
		content, info, err := read(w.path(name))
		if err == nil && info == nil {
			err = errors.New(name + " is gone")
		}
		if err != nil {
			w.degrade("a memory file could not be read; the next command looks for edits in it: " + err.Error())
			return nil
		}
		if _, _, err = w.settle(ctx, name, content, info, w.batchFor(name)); !errors.Is(err, errReread) {
			return err
		}
	}
	return errReplaced
}

func (w *writer) scanMissing(ctx context.Context, files map[string]fs.FileInfo) error {
	var gone []string
	for name := range w.seen.files {
		if _, ok := files[name]; !ok && !w.Untrusted(name) {
			gone = append(gone, name)
		}
	}
	if w.full {
		for _, name := range w.view.files.names() {
			if _, ok := files[name]; !ok && !w.Untrusted(name) && !slices.Contains(gone, name) {
				gone = append(gone, name)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	if err := w.load(ctx); err != nil {
		return err
	}
	if len(files) == 0 || dirChanged(w.seen, w.Memory) {
		return w.restoreFiles(gone)
	}
	for _, name := range gone {
		if err := w.logDeletedFile(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) batchFor(name string) []journal.Record {
	var batch []journal.Record
	for _, p := range w.view.pending {
		if p.File == name && (p.Op == journal.OpEntry || p.Op == journal.OpRestore) {
			batch = append(batch, p.Record)
		}
	}
	return batch
}
