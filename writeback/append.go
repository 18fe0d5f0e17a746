package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// finish writes everything that is pending to Markdown, in the order of the log. Consecutive
// entries for one file are written together. A record that cannot be finished stays pending, and
// the error says why.
func (w *writer) finish(ctx context.Context) error {
	if len(w.view.pending) == 0 {
		return nil
	}
	if err := w.Prepare(); err != nil {
		return err
	}
	var errs []error
	var purges []journal.Record
	todo := slices.Clone(w.view.pending)
	for len(todo) > 0 && ctx.Err() == nil {
		p := todo[0]
		if p.Op.Edits() {
			err := w.change(ctx, p.Record)
			if err == nil && p.Op == journal.OpPurge {
				purges = append(purges, p.Record)
			}
			errs, todo = append(errs, err), todo[1:]
			continue
		}
		var batch []journal.Record
		batch, todo = nextBatch(todo)
		if err := w.appendAll(ctx, p.File, batch); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", p.File, err))
		}
	}
	return errors.Join(append(errs, w.scrub(ctx, purges), ctx.Err())...)
}

// nextBatch returns the entries for the file of the first one, up to the next edit.
func nextBatch(todo []pending) (batch []journal.Record, rest []pending) {
	for i, p := range todo {
		switch {
		case p.Op.Edits():
			return batch, append(rest, todo[i:]...)
		case p.File == todo[0].File:
			batch = append(batch, p.Record)
		default:
			rest = append(rest, p)
		}
	}
	return batch, rest
}

// missingTail returns the text to append to content so that it holds every record once. base is the
// length of content before these records. The rest of content is the part that an interrupted
// append left. fits reports whether that part is a prefix of the text to append. If it is not, tail
// leaves out each record that the rest does not begin with.
func missingTail(content []byte, base int, name string, records []journal.Record) (tail []byte, fits bool) {
	before, rest := slices.Clip(content[:base]), content[base:]
	fits = true
	for _, r := range records {
		full := append([]byte(separator(before, name, r.Text)), r.Text...)
		switch {
		case bytes.HasPrefix(rest, full):
			rest = rest[len(full):]
		case bytes.HasPrefix(full, rest):
			tail = append(tail, full[len(rest):]...)
			rest = nil
		default:
			fits = false
		}
		before = append(before, full...)
	}
	return tail, fits && len(rest) == 0
}

// maxTries bounds how often an append starts over because an editor replaced the file in the
// meantime.
const maxTries = 50

// appendAll appends the records to one file and marks them done. It checks by path that the file
// there holds them in the end, because an editor may have renamed another file over it.
func (w *writer) appendAll(ctx context.Context, name string, batch []journal.Record) error {
	batch, err := w.admit(ctx, batch)
	if err != nil || len(batch) == 0 {
		return err
	}
	path := w.path(name)
	if err := w.inside(path); err != nil {
		return err
	}
	for range maxTries {
		batch, err = w.tryAppend(ctx, name, path, batch)
		if err != nil || len(batch) == 0 {
			return err
		}
	}
	return errReplaced
}

var errReplaced = errors.New("another program keeps replacing the file; close it there and try again")

// admit drops entries that were forgotten in the meantime and notes that repeat a fact, and marks
// them done.
func (w *writer) admit(ctx context.Context, batch []journal.Record) ([]journal.Record, error) {
	var in, out []journal.Record
	for _, r := range batch {
		dropped := w.view.tombs[tombstone(r.ID)]
		if dropped {
			w.degrade("entry " + r.ID + " was not written: it was forgotten")
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
	return in, w.log(ctx, false, out...)
}

// tryAppend makes one attempt. left holds the records for the same file that are still to be
// written, including entries that an editor has just overwritten from a stale buffer.
func (w *writer) tryAppend(ctx context.Context, name, path string, batch []journal.Record) (left []journal.Record, err error) {
	content, info, err := read(path)
	if err != nil {
		return nil, err
	}
	base, again, err := w.settle(ctx, name, content, info, batch)
	if errors.Is(err, errReread) {
		return batch, nil
	}
	if err != nil || len(again) > 0 {
		return append(batch, again...), err
	}
	var fresh, standing []journal.Record
	for _, r := range batch {
		switch {
		case standsIn(content[:base], r):
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
	w.keepNotes(content[:base], fresh, withAppended)
	tail, _ := missingTail(content, base, name, fresh)
	whole := append(slices.Clip(content), tail...)
	ok, now, err := w.write(path, info, tail, int64(len(whole)))
	if err != nil || !ok && len(tail) > 0 {
		return batch, err
	}
	if !ok {
		now = info // replaced again, but the contents read held everything
	}
	w.see(name, stampOf(now, whole))
	appended := len(fresh)
	if base < len(content) && len(w.view.files.get(name)) == len(content) {
		// The log's copy of the file already held the torn beginning.
		appended = 0
		if err := w.log(ctx, false, journal.Record{Op: journal.OpFile, File: name, Text: whole}); err != nil {
			w.degrade(err.Error())
		}
	}
	w.mark(ctx, name, now, append(fresh, standing...), appended)
	return left, nil
}

// standsIn reports whether a file holds the text that a record appends. A note whose comment lost
// the note's id is recognised by its fact.
func standsIn(content []byte, r journal.Record) bool {
	if bytes.Contains(content, []byte(r.ID)) && holds(content, r.ID) {
		return true
	}
	return markdown.IsNote(r.Text) && holds(content, markdown.Parse(r.Text).Facts()[0].ID)
}

// insertNotes inserts notes after the existing notes of a file. The next attempt finds them there.
func (w *writer) insertNotes(ctx context.Context, name, path string, content []byte, notes []journal.Record) error {
	w.keepNotes(content, notes, withNote)
	text := content
	for _, r := range notes {
		text = withNote(text, r)
	}
	made, err := atomicfile.ReplaceIf(w.sys, path, content, text)
	if err != nil || !made {
		return err
	}
	return w.replaced(ctx, name, path, text)
}

// mark logs, unsynced, which records are done. If that is lost, the next writer finds the entries
// in the file. The first fresh records were appended, the others were in the file already.
func (w *writer) mark(ctx context.Context, name string, info fs.FileInfo, records []journal.Record, fresh int) {
	var done []journal.Record
	for i, r := range records {
		done = append(done, journal.Record{Op: journal.OpDone, Of: r.Op, ID: r.ID, Kept: i >= fresh, Stamp: info.ModTime().UnixNano()})
		w.report.Finished = append(w.report.Finished, Ref{ID: r.ID, Title: r.Title, File: r.File})
	}
	if w.late != nil {
		w.late.done[w.path(name)] = append(w.late.done[w.path(name)], done...)
		return
	}
	w.logDone(ctx, done)
}

func (w *writer) logDone(ctx context.Context, done []journal.Record) {
	if err := w.log(ctx, false, done...); err != nil {
		w.degrade("entries were written, but the log could not note it, so the next command checks them again: " + err.Error())
		w.applyLoose(done...)
	}
}

// maxFile bounds a memory file, in bytes, because it is read whole.
const maxFile = 64 << 20

// read returns a file's contents and the stat that belongs to them. Both are nil if the file does
// not exist.
func read(path string) ([]byte, fs.FileInfo, error) {
	f, err := safefile.Open(path, safefile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxFile {
		return nil, nil, fmt.Errorf("reading %s: %w (over %d MB)", path, safefile.ErrTooLarge, maxFile>>20)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != int64(len(content)) {
		return nil, nil, fmt.Errorf("%s changed while it was read", path)
	}
	return content, info, err
}

// write appends tail and syncs. It reports whether the file that is at path afterwards is the one
// it wrote to, with the expected size.
func (w *writer) write(path string, before fs.FileInfo, tail []byte, size int64) (ok bool, info fs.FileInfo, err error) {
	flag := os.O_RDWR | os.O_APPEND
	if before == nil {
		flag |= os.O_CREATE | os.O_EXCL
		if err := w.sys.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return false, nil, err
		}
	}
	f, err := w.sys.OpenFile(path, flag, 0o600)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false, nil, nil // it was removed or created a moment ago
	}
	if err != nil {
		return false, nil, err
	}
	defer f.Close()
	if err := put(f, tail, size); err != nil {
		return false, nil, err
	}
	if before == nil {
		if err := w.sys.SyncDir(filepath.Dir(path)); err != nil {
			return false, nil, err
		}
	}
	if info, err = f.Stat(); err != nil {
		return false, nil, err
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(info, now) && info.Size() == size, info, nil
}

// put writes and syncs. If a full disk let only a part through, put removes that part, provided
// that nothing follows it. Otherwise recovery completes it.
func put(f journal.File, tail []byte, size int64) error {
	n, err := f.Write(tail)
	if err == nil {
		return f.Sync()
	}
	if info, e := f.Stat(); n > 0 && e == nil && info.Size() == size-int64(len(tail)-n) {
		err = errors.Join(err, f.Truncate(size-int64(len(tail))))
	}
	return err
}
