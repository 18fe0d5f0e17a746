package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/repofile"
	"agentflow/memory"
)

// PurgeReport says where a purged text was and where it may still be.
type PurgeReport struct {
	Ref
	Cleaned   []string // files of ours that held it and no longer do, absolute
	Elsewhere []string // memory files that still hold a line of it, in another entry or by hand: "2026-11-20.md:14"
	Beyond    []string // places that cannot be reached, a line each
}

// Purge takes the text of an entry or fact out of every store of ours:
// Markdown, with the judgements that quote it, the log and its checkpoint, the
// fallback's, the folder of its run, and the files of other runs that quote it, and what was kept of its being
// edited. extra are more files and folders of ours to look through. A tombstone stays, and nothing that Restore could
// bring back. An id that was forgotten before can be purged too. It is
// finished by the next Recover when it is interrupted, but for the run
// folders, which are then cleaned by calling it again. Errors match
// ErrNotFound or ErrLocked.
func (s *Store) Purge(ctx context.Context, id string, extra ...string) (PurgeReport, error) {
	var report PurgeReport
	err := s.edit(ctx, "forget --purge", func(w *writer) (err error) {
		report, err = w.purge(ctx, id, extra)
		return err
	})
	if err != nil {
		return report, fmt.Errorf("purging %s: %w", id, err)
	}
	return report, nil
}

func (w *writer) purge(ctx context.Context, id string, extra []string) (PurgeReport, error) {
	id = w.owner(id)
	names := w.filesWith(id)
	text, ref := w.view.lost[id].text, w.view.lost[id].Ref
	if len(names) > 0 {
		_, taken, _ := cut(w.view.files[names[0]], id)
		text, ref = taken.text, Ref{ID: id, Title: taken.Title, File: names[0]}
	}
	report := PurgeReport{Ref: ref}
	if ref.ID == "" && !w.view.tombs[tombstone(id)] {
		return report, ErrNotFound
	}
	q := quoteOf(id, text)
	quoting := w.judgementsQuoting(q)
	for _, j := range quoting {
		if _, err := w.purge(ctx, j, nil); err != nil {
			return report, err
		}
	}
	runs := append([]string{filepath.Join(w.State, "runs"), filepath.Join(w.Fallback, "runs"), filepath.Join(w.State, "edits")}, extra...)
	for _, dir := range runs {
		cleaned, err := w.cleanFolder(dir, q)
		report.Cleaned = append(report.Cleaned, cleaned...)
		if err != nil {
			return report, err
		}
	}
	if f := memory.FeedbackFile; len(quoting)+len(judgedOf(w.view.files[f], id)) > 0 && !slices.Contains(names, f) {
		names = append(names, f)
	}
	for _, name := range names {
		report.Cleaned = append(report.Cleaned, filepath.Join(w.Memory, filepath.FromSlash(name)))
	}
	r := record{Op: opPurge, ID: id}
	records := []record{r}
	for _, inner := range within(text) {
		records = append(records, record{Op: opTomb, Hash: tombstone(inner)})
	}
	if err := w.log(ctx, true, records...); err != nil {
		return report, err
	}
	if err := w.change(ctx, r); err != nil {
		return report, err
	}
	report.Cleaned = append(report.Cleaned, w.main.log(), w.main.checkpoint())
	report.Elsewhere = w.stillQuoted(q)
	report.Beyond = beyond(text)
	return report, nil
}

// scrub makes the log forget the text of a purge: a new checkpoint holds what
// Markdown holds now, and the log starts anew. Only then is the purge done.
func (w *writer) scrub(ctx context.Context, id string) error {
	if w.spareLogged() {
		return errors.New("the log in " + w.Fallback + " cannot be rewritten while " + w.State + " cannot be written")
	}
	err := w.rotate(ctx, func(v *view) {
		v.pending = slices.DeleteFunc(v.pending, func(p pending) bool { return p.ID == id })
		delete(v.lost, id)
		delete(v.landed, id)
		maps.DeleteFunc(v.lost, func(_ string, l lost) bool { return l.File == memory.FeedbackFile && len(judgedOf(l.text, id)) > 0 })
	})
	if err != nil {
		return err
	}
	w.sweep()
	return nil
}

// stillQuoted names the lines of memory that hold a part of a purged text.
// They stay: they belong to somebody else's entry.
func (w *writer) stillQuoted(q quote) []string {
	var places []string
	for _, name := range slices.Sorted(maps.Keys(w.view.files)) {
		line := 0
		for text := range bytes.Lines(w.view.files[name]) {
			if line++; q.in(text) {
				places = append(places, fmt.Sprintf("%s:%d", name, line))
			}
		}
	}
	return places
}

// beyond names what no program of ours can clean.
func beyond(text []byte) []string {
	places := []string{
		"git history, if .agentflow was ever committed",
		"backups and copies of this folder, and text that editors keep",
	}
	for _, e := range memory.Parse(text).Entries() {
		if e.Session != "" {
			places = append(places, fmt.Sprintf("the agent's own files of session %s", e.Session))
		}
	}
	return append(places, "what was already sent to a model's provider")
}

// cleanFolder removes the folder of the purged run below dir, for its files
// hold the text in every form, and overwrites what any other file quotes.
func (w *writer) cleanFolder(dir string, q quote) ([]string, error) {
	var cleaned, folders []string
	own := filepath.Join(dir, q.id)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		isOwn := path == own || strings.HasPrefix(path, own+string(filepath.Separator))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case isOwn && d.IsDir():
			folders = append(folders, path)
			return nil
		case !isOwn && !d.Type().IsRegular():
			return nil
		}
		changed := true
		if isOwn {
			err = w.sys.Remove(path)
		} else {
			changed, err = w.mask(path, q)
		}
		if changed {
			cleaned = append(cleaned, path)
		}
		return err
	})
	for _, folder := range slices.Backward(folders) {
		err = errors.Join(err, w.sys.Remove(folder))
	}
	if err != nil {
		return cleaned, fmt.Errorf("cleaning %s: %w", dir, err)
	}
	return cleaned, nil
}

// mask overwrites the parts of a file that quote q with as many asterisks, in
// place: a running agent may append to it, and JSON stays JSON.
func (w *writer) mask(path string, q quote) (changed bool, err error) {
	data, err := repofile.Read(path, repofile.NoLink, maxLog)
	if err != nil || !q.in(data) {
		return false, err
	}
	f, err := w.sys.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, part := range q.parts {
		for at := 0; ; at += len(part) {
			i := bytes.Index(data[at:], part)
			if i < 0 {
				break
			}
			at += i
			if _, err := f.WriteAt(bytes.Repeat([]byte{'*'}, len(part)), int64(at)); err != nil {
				return true, err
			}
		}
	}
	return true, f.Sync()
}
