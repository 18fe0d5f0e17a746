package writeback

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/trace"
)

// Made is a change that Undo can take back.
type Made struct {
	ID      string
	Command string // the command that made it
	Title   string // describes the change in a few words
	At      time.Time
	Files   []string // the files that it changed, relative to the memory folder
	Undoes  string   // id of the change that this one took back; empty: none
	Undone  bool     // another change took it back
}

// kept is such a change with the data to take it back. It is stored as records in a file of the
// folder changes, and not in the log: a rotation drops the earlier contents of files from the log,
// and the log is read too often to carry them.
type kept struct {
	Made
	source   string // see lost.by
	files    []memory.FileEdit
	tombs    []string // hashes of the tombstones that it added
	forgot   []string // ids that it forgot
	returned []string // ids that it made no longer forgotten
}

// These constants bound the kept changes of each command: the newest maxKept of them, as long as
// they have at most maxKeptBytes together. Because the bounds are per command, changes by agents do
// not displace changes that a person may want to undo.
const (
	maxKept      = 10
	maxKeptBytes = 32 << 20
)

// keptHead is the text of the first record.
type keptHead struct {
	Command string
	Title   string
	Files   []string
	Undoes  string
	Source  string
}

func (s *Store) keptFolder() string        { return filepath.Join(s.State, "changes") }
func (s *Store) keptPath(id string) string { return filepath.Join(s.keptFolder(), id) }

// unlessMissing returns err, or nil if the error is that the file does not exist.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// keep stores how a change that was just made can be taken back. view holds memory as it was before
// the change.
func (w *writer) keep(r journal.Record, c change) error {
	k := kept{Made: Made{ID: r.ID, Command: c.Command, Title: c.Title, At: w.Now(), Undoes: c.Undoes}, source: c.sourceOr(r.ID), returned: c.Return}
	for _, e := range c.Edits {
		before := w.view.files.get(e.File)
		k.Files = append(k.Files, e.File)
		k.files = append(k.files, memory.FileEdit{File: e.File, Before: before, After: e.After})
	}
	for _, f := range c.Forget {
		k.forgot = append(k.forgot, f.ID)
		for _, id := range append(idsIn(f.Text), f.ID) {
			if hash := tombstone(id); !w.view.tombs[hash] && !slices.Contains(k.tombs, hash) {
				k.tombs = append(k.tombs, hash)
			}
		}
	}
	return w.writeKept(k)
}

// writeKept writes a kept change and removes surplus ones. For a remembered fact it does not wait
// for the disk a second time. If the machine crashes, the fact may then be impossible to undo.
func (w *writer) writeKept(k kept) error {
	data := k.encode()
	if len(data) > maxKeptBytes {
		return fmt.Errorf("it has %d MB, more than %d", len(data)>>20, maxKeptBytes>>20)
	}
	err := w.sys.MkdirAll(w.keptFolder(), 0o700)
	switch {
	case err != nil:
	case k.Command == rememberCommand:
		err = w.writeLoose(w.keptPath(k.ID), data)
	default:
		err = atomicfile.WriteTo(w.sys, w.keptPath(k.ID), data, 0o600)
	}
	if err != nil {
		return err
	}
	return w.dropOld()
}

// dropOld removes the changes beyond the bounds.
func (w *writer) dropOld() error {
	names, err := w.keptIDs()
	count, size := map[string]int{}, map[string]int64{} // by command
	for _, id := range names {
		info, e := os.Stat(w.keptPath(id))
		if e != nil {
			continue
		}
		command := w.keptCommand(id)
		count[command]++
		size[command] += info.Size()
		if count[command] > maxKept || size[command] > maxKeptBytes {
			err = errors.Join(err, unlessMissing(w.sys.Remove(w.keptPath(id))))
		}
	}
	return err
}

// keptCommand returns the command that made a kept change, from the first line of its file. It
// returns "" if the file cannot be read.
func (s *Store) keptCommand(id string) (command string) {
	f, err := safefile.Open(s.keptPath(id), safefile.NoLink)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadBytes('\n')
	journal.Each("the change", line, 0, func(r journal.Record, _ int64) {
		var head keptHead
		if json.Unmarshal(r.Text, &head) == nil {
			command = head.Command
		}
	})
	return command
}

// keptIDs returns the ids of the kept changes, the newest first. An id begins with its time.
func (s *Store) keptIDs() ([]string, error) {
	list, err := os.ReadDir(s.keptFolder())
	var ids []string
	for _, f := range list {
		if f.Type().IsRegular() && f.Name()[0] != '.' {
			ids = append(ids, f.Name())
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, unlessMissing(err)
}

// Made returns the kept changes, the newest first: those that Undo can take back and those that
// were taken back. It takes no lock.
func (s *Store) Made() ([]Made, error) {
	ids, err := s.keptIDs()
	if err != nil {
		return nil, fmt.Errorf("reading which changes were made: %w", err)
	}
	var list []Made
	undone := map[string]bool{}
	for _, id := range ids {
		k, err := s.readKept(id)
		if err != nil {
			continue // a purge removed it, or it is damaged
		}
		if k.Undone = undone[id]; !k.Undone && k.Undoes != "" {
			undone[k.Undoes] = true
		}
		if !k.empty() {
			list = append(list, k.Made)
		}
	}
	return list, nil
}

// empty reports whether taking the change back would change nothing, because a purge removed all
// that it changed.
func (k kept) empty() bool {
	differs := func(e memory.FileEdit) bool {
		return !bytes.Equal(e.Before, e.After) || (e.Before == nil) != (e.After == nil)
	}
	return len(k.tombs)+len(k.forgot)+len(k.returned) == 0 && !slices.ContainsFunc(k.files, differs)
}

func (s *Store) readKept(id string) (kept, error) {
	if !filepath.IsLocal(id) || filepath.Base(id) != id {
		return kept{}, ErrNotFound
	}
	data, err := safefile.Read(s.keptPath(id), safefile.NoLink, journal.MaxSize)
	if safefile.IsAbsent(err) {
		return kept{}, ErrNotFound
	}
	if err != nil {
		return kept{}, err
	}
	return decodeKept(data)
}

// encode returns the records: the head, each file before and after, and the ids.
func (k kept) encode() []byte {
	names := make([]string, len(k.Files))
	for i, name := range k.Files {
		names[i] = journal.NameToJSON(name)
	}
	head, err := json.Marshal(keptHead{k.Command, k.Title, names, k.Undoes, k.source})
	if err != nil {
		panic("writeback: plain strings have no JSON: " + err.Error())
	}
	data := journal.Record{Op: journal.OpChange, ID: k.ID, Stamp: k.At.UnixNano(), Text: head}.Encode(nil)
	for _, e := range k.files {
		for _, content := range [][]byte{e.Before, e.After} {
			r := journal.Record{Op: journal.OpFile, File: e.File, Text: content}
			if content == nil {
				r.Op = journal.OpNoFile
			}
			data = r.Encode(data)
		}
	}
	for _, hash := range k.tombs {
		data = journal.Record{Op: journal.OpTomb, Hash: hash}.Encode(data)
	}
	for _, id := range k.forgot {
		data = journal.Record{Op: journal.OpForget, ID: id}.Encode(data)
	}
	for _, id := range k.returned {
		data = journal.Record{Op: journal.OpRestore, ID: id}.Encode(data)
	}
	return journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: k.ID}.Encode(data)
}

// decodeKept reads records that encode wrote. It returns an error if they are damaged.
func decodeKept(data []byte) (k kept, err error) {
	var contents [][]byte
	whole := false
	_, damage := journal.Each("the change", data, 0, func(r journal.Record, _ int64) {
		switch r.Op {
		case journal.OpChange:
			var head keptHead
			err = json.Unmarshal(r.Text, &head)
			k.Made = Made{ID: r.ID, Command: head.Command, Title: head.Title, At: time.Unix(0, r.Stamp), Undoes: head.Undoes}
			k.source = head.Source
			for _, name := range head.Files {
				k.Files = append(k.Files, journal.NameFromJSON(name))
			}
		case journal.OpFile:
			contents = append(contents, append([]byte{}, r.Text...))
		case journal.OpNoFile:
			contents = append(contents, nil)
		case journal.OpTomb:
			k.tombs = append(k.tombs, r.Hash)
		case journal.OpForget:
			k.forgot = append(k.forgot, r.ID)
		case journal.OpRestore:
			k.returned = append(k.returned, r.ID)
		case journal.OpDone:
			whole = true
		}
	})
	if err != nil || len(damage) > 0 || !whole || len(contents) != 2*len(k.Files) {
		return kept{}, errors.New("what is kept of the change is damaged")
	}
	for i, name := range k.Files {
		k.files = append(k.files, memory.FileEdit{File: name, Before: contents[2*i], After: contents[2*i+1]})
	}
	return k, nil
}

// purgeKept removes purged texts from the kept changes. A kept change that quotes them elsewhere,
// or cannot be read, is removed whole and can no longer be taken back.
func (w *writer) purgeKept(list []purged, q trace.Quote) (cleaned []string, err error) {
	gone, files := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		maps.Copy(files, p.former)
		for _, id := range append(idsIn(p.text), p.id) {
			gone[id] = true
		}
	}
	ids, err := w.keptIDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		k, err := w.readKept(id)
		path := w.keptPath(id)
		if err != nil {
			if err := unlessMissing(w.sys.Remove(path)); err != nil {
				return cleaned, err
			}
			continue
		}
		old := k.encode()
		for i := range k.files {
			e := &k.files[i]
			e.Before, e.After = without(e.Before, gone), without(e.After, gone)
		}
		named := func(id string) bool { return gone[id] }
		k.forgot, k.returned = slices.DeleteFunc(k.forgot, named), slices.DeleteFunc(k.returned, named)
		for id := range gone {
			k.tombs = slices.DeleteFunc(k.tombs, func(hash string) bool { return hash == tombstone(id) })
		}
		switch data := k.encode(); {
		case gone[k.ID] || slices.ContainsFunc(k.Files, func(name string) bool { return files[name] }) || q.In(data) || slices.ContainsFunc(k.files, func(e memory.FileEdit) bool { return q.In(e.Before) || q.In(e.After) }):
			err = w.sys.Remove(path)
		case bytes.Equal(data, old):
			continue
		default:
			err = atomicfile.WriteTo(w.sys, path, data, 0o600)
		}
		if err != nil {
			return cleaned, err
		}
		cleaned = append(cleaned, path)
	}
	return cleaned, nil
}

// without returns content without the entries and facts whose id or TextID is in gone. If content
// is nil, because the file does not exist, it returns nil.
func without(content []byte, gone map[string]bool) []byte {
	if len(content) == 0 || len(gone) == 0 {
		return content
	}
	d := markdown.Parse(content)
	named := map[string]bool{}
	for _, f := range d.Facts() {
		named[f.ID] = named[f.ID] || gone[memory.TextID(f.Text)]
	}
	rest, _ := d.RemoveAll(func(id string) bool { return gone[id] || named[id] })
	return append([]byte{}, rest...)
}
