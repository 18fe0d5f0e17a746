package writeback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// PurgeReport says where purged texts were and where they may still be.
type PurgeReport struct {
	Cleaned   []string // files of ours that held one and no longer do, absolute
	Elsewhere []string // memory files that still hold a line of one, in another entry or by hand: "2026-11-20.md:14"
	Beyond    []string // places that cannot be reached, a line each
}

// Purge takes the texts of entries or facts, or of a whole file
// (memory.WholeFile) that has none, out of every store of ours:
// Markdown, with the judgements that quote them, the log and its checkpoint,
// the fallback's, the folders of their runs, and the files of other runs that
// quote them, and the folder of edits in progress. extra are more files and
// folders of ours to look through. Tombstones stay, and nothing that Restore
// could bring back. Entries and facts that were forgotten before can be purged too. All of them go
// by one record of the log, or none: when it is interrupted, the next Recover
// finishes it, but for the run folders, which are then cleaned by calling it
// again. Errors match ErrNotFound or ErrLocked.
func (s *Store) Purge(ctx context.Context, ids []string, extra ...string) (PurgeReport, error) {
	var report PurgeReport
	err := s.edit(ctx, "forget --purge", func(w *writer) (err error) {
		report, err = w.purge(ctx, ids, extra)
		return err
	})
	if err != nil {
		return report, fmt.Errorf("purging: %w", err)
	}
	return report, nil
}

type purged struct {
	id     string
	text   []byte
	names  []string        // of the memory files that hold it
	sum    string          // of a whole file, what it holds; empty: it is not there
	former map[string]bool // of a whole file, the names that it had
}

func (w *writer) purge(ctx context.Context, ids, extra []string) (report PurgeReport, err error) {
	list, q, err := w.toPurge(ctx, ids)
	if err != nil {
		return report, err
	}
	for _, dir := range append([]string{filepath.Join(w.State, "runs"), filepath.Join(w.Fallback, "runs"), filepath.Join(w.State, "edits")}, extra...) {
		cleaned, err := w.cleanFolder(dir, q)
		report.Cleaned = append(report.Cleaned, cleaned...)
		if err != nil {
			return report, err
		}
	}
	cleaned, err := w.purgeKept(list, q)
	report.Cleaned = append(report.Cleaned, cleaned...)
	if err != nil {
		return report, err
	}
	var purges, tombs []journal.Record
	paths := map[string]bool{}
	for _, p := range list {
		purges = append(purges, journal.Record{Op: journal.OpPurge, ID: p.id, Hash: p.sum})
		for _, inner := range idsIn(p.text) {
			tombs = append(tombs, journal.Record{Op: journal.OpTomb, Hash: tombstone(inner)})
		}
		for _, name := range p.names {
			paths[w.path(name)] = true
		}
		for _, place := range outOfReach(p.text) {
			if !slices.Contains(report.Beyond, place) {
				report.Beyond = append(report.Beyond, place)
			}
		}
	}
	if err := w.log(ctx, true, append(purges, tombs...)...); err != nil {
		return report, err
	}
	for _, r := range purges {
		if err := w.change(ctx, r); err != nil {
			return report, err
		}
	}
	if err := w.scrub(ctx, purges); err != nil {
		return report, err
	}
	report.Cleaned = append(append(report.Cleaned, slices.Sorted(maps.Keys(paths))...), w.main.Path(), w.main.Checkpoint())
	report.Elsewhere = w.stillQuoted(q)
	return report, nil
}

// toPurge finds the entries and facts with these ids, and the judgements that
// quote them, which go too. q recognises all of their texts.
func (w *writer) toPurge(ctx context.Context, ids []string) (list []purged, q quote, err error) {
	q.ids = map[string]bool{}
	for todo := slices.Clone(ids); len(todo) > 0; todo = todo[1:] {
		if isWholeFile(todo[0]) {
			p, quoted, err := w.wholeToPurge(todo[0])
			if err != nil {
				return nil, q, fmt.Errorf("%s: %w", todo[0], err)
			}
			q.join(quoted)
			list = append(list, p)
			continue
		}
		p := purged{id: w.owner(ctx, todo[0])}
		if q.ids[p.id] {
			continue
		}
		p.names = w.filesWith(ctx, p.id)
		gone, lost := w.view.lost[p.id]
		p.text = gone.text
		if len(p.names) > 0 {
			_, taken, _ := cut(w.view.files.get(p.names[0]), p.id)
			p.text = taken.text
		} else if !lost && !w.view.tombs[tombstone(p.id)] {
			return nil, q, fmt.Errorf("%s: %w", p.id, ErrNotFound)
		}
		quoted := quoteOf(p.id, p.text)
		quoting := w.judgementsQuoting(quoted)
		if f := memory.FeedbackFile; len(quoting)+len(judgedOf(w.view.files.get(f), p.id)) > 0 && !slices.Contains(p.names, f) {
			p.names = append(p.names, f)
		}
		q.join(quoted)
		list, todo = append(list, p), append(todo, quoting...)
	}
	return list, q, nil
}

// scrub makes the log forget the texts of purges whose change was made: a new
// checkpoint holds what Markdown holds now, and the log starts anew. Only then
// are they done.
func (w *writer) scrub(ctx context.Context, purges []journal.Record) error {
	if len(purges) == 0 {
		return nil
	}
	if w.fallbackLogged() {
		return errors.New("the log in " + w.Fallback + " cannot be rewritten while " + w.State + " cannot be written")
	}
	ids := map[string]bool{}
	for _, r := range purges {
		ids[r.ID] = true
	}
	quotes := func(text []byte) bool {
		return slices.ContainsFunc(markdown.ParseJudgements(text), func(j memory.Judgement) bool { return ids[j.Entry] || ids[j.Run] })
	}
	err := w.rotate(ctx, func(v *view) {
		v.pending = slices.DeleteFunc(v.pending, func(p pending) bool { return ids[p.ID] })
		maps.DeleteFunc(v.appendedAt, func(id string, _ int64) bool { return ids[id] })
		maps.DeleteFunc(v.lost, func(id string, l lost) bool { return ids[id] || l.File == memory.FeedbackFile && quotes(l.text) })
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
	for name, content := range w.view.files.all() {
		line := 0
		for text := range bytes.Lines(content) {
			if line++; q.in(text) {
				places = append(places, fmt.Sprintf("%s:%d", name, line))
			}
		}
	}
	return places
}

// outOfReach names the places that no program of ours can clean.
func outOfReach(text []byte) []string {
	places := []string{
		"git history, if .agentflow was ever committed",
		"backups and copies of this folder, and text that editors keep",
	}
	for _, e := range markdown.Parse(text).Entries() {
		if e.Session != "" {
			places = append(places, fmt.Sprintf("the agent's own files of session %s", e.Session))
		}
	}
	return append(places, "text that was already sent to a model's provider")
}

// cleanFolder removes the folders of the purged runs below dir, for their files
// hold the text in every form, and overwrites what any other file quotes.
func (w *writer) cleanFolder(dir string, q quote) ([]string, error) {
	var cleaned, folders []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		first, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		isOwn := q.ids[first]
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
	data, err := repofile.Read(path, repofile.NoLink, journal.MaxSize)
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

// quote recognises texts by their lines, wherever and however they were
// copied: as they are, or inside JSON.
type quote struct {
	ids   map[string]bool // whose texts they are
	parts [][]byte
}

func (q *quote) join(other quote) {
	maps.Copy(q.ids, other.ids)
	q.parts = append(q.parts, other.parts...)
}

// quoteLeast is how many runes a line must have to be recognised by: shorter
// ones stand everywhere.
const quoteLeast = 12

// quoteOf takes the lines that are somebody's words: titles, tasks, summaries,
// errors and facts, not the labels around them.
func quoteOf(id string, text []byte) quote {
	q := quote{ids: map[string]bool{id: true}}
	for _, b := range markdown.Parse(text).Blocks {
		if e := b.Entry; e != nil {
			q.add(e.Title, e.Task, e.Summary)
			q.add(e.Errors...)
			q.add(e.Denials...)
		}
		for _, f := range b.Facts {
			q.add(f.Text)
		}
	}
	return q
}

func (q *quote) add(words ...string) {
	for line := range strings.Lines(strings.Join(words, "\n")) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) < quoteLeast {
			continue
		}
		q.parts = append(q.parts, []byte(line))
		if inJSON, err := json.Marshal(line); err == nil && string(inJSON[1:len(inJSON)-1]) != line {
			q.parts = append(q.parts, inJSON[1:len(inJSON)-1])
		}
	}
}

// in says whether data holds any of the lines.
func (q quote) in(data []byte) bool {
	for _, part := range q.parts {
		if bytes.Contains(data, part) {
			return true
		}
	}
	return false
}
