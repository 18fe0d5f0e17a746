package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/options"
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

// Archive holds the changes that Undo can take back, each in a file of the folder changes.
type Archive struct{ *options.Place }

// These constants bound the kept changes of each command: the newest MaxKept of them, as long as
// they have at most maxKeptBytes together. Because the bounds are per command, changes by agents do
// not displace changes that a person may want to undo.
const (
	MaxKept      = 10
	maxKeptBytes = 32 << 20
)

// KeptFolder returns the folder of the kept changes.
func (a Archive) KeptFolder() string { return filepath.Join(a.State, "changes") }

func (a Archive) keptPath(id string) string { return filepath.Join(a.KeptFolder(), id) }

// WriteKept writes a kept change and removes surplus ones. For a remembered fact it does not wait
// for the disk a second time. If the machine crashes, the fact may then be impossible to undo.
func (a Archive) WriteKept(k Kept) error {
	data := k.encode()
	if len(data) > maxKeptBytes {
		return fmt.Errorf("it has %d MB, more than %d", len(data)>>20, maxKeptBytes>>20)
	}
	err := a.Sys.MkdirAll(a.KeptFolder(), 0o700)
	switch {
	case err != nil:
	case k.Command == RememberCommand:
		err = a.writeLoose(a.keptPath(k.ID), data)
	default:
		err = atomicfile.WriteTo(a.Sys, a.keptPath(k.ID), data, 0o600)
	}
	if err != nil {
		return err
	}
	return a.dropOld()
}

// writeLoose writes a file without waiting for the disk. The reader detects an incomplete file.
func (a Archive) writeLoose(path string, data []byte) error {
	f, err := a.Sys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// dropOld removes the changes beyond the bounds.
func (a Archive) dropOld() error {
	names, err := a.KeptIDs()
	count, size := map[string]int{}, map[string]int64{} // by command
	for _, id := range names {
		info, e := os.Stat(a.keptPath(id))
		if e != nil {
			continue
		}
		command := a.keptCommand(id)
		count[command]++
		size[command] += info.Size()
		if count[command] > MaxKept || size[command] > maxKeptBytes {
			err = errors.Join(err, a.Drop(id))
		}
	}
	return err
}

// keptCommand returns the command that made a kept change, from the first line of its file. It
// returns "" if the file cannot be read.
func (a Archive) keptCommand(id string) (command string) {
	f, err := safefile.Open(a.keptPath(id), safefile.NoLink)
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

// KeptIDs returns the ids of the kept changes, the newest first. An id begins with its time.
func (a Archive) KeptIDs() ([]string, error) {
	list, err := os.ReadDir(a.KeptFolder())
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
func (a Archive) Made() ([]Made, error) {
	ids, err := a.KeptIDs()
	if err != nil {
		return nil, fmt.Errorf("reading which changes were made: %w", err)
	}
	var list []Made
	undone := map[string]bool{}
	for _, id := range ids {
		k, err := a.ReadKept(id)
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

// ReadKept reads a kept change. The error matches items.ErrNotFound if there is none with this id.
func (a Archive) ReadKept(id string) (Kept, error) {
	if !filepath.IsLocal(id) || filepath.Base(id) != id {
		return Kept{}, items.ErrNotFound
	}
	data, err := safefile.Read(a.keptPath(id), safefile.NoLink, journal.MaxSize)
	if safefile.IsAbsent(err) {
		return Kept{}, items.ErrNotFound
	}
	if err != nil {
		return Kept{}, err
	}
	return decodeKept(data)
}

// PurgeKept removes purged texts from the kept changes: those of the ids in gone. A kept change that
// names one of files, that quotes the texts elsewhere, or that cannot be read, is removed whole and
// can no longer be taken back.
func (a Archive) PurgeKept(gone, files map[string]bool, q trace.Quote) (cleaned []string, err error) {
	ids, err := a.KeptIDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		k, err := a.ReadKept(id)
		path := a.keptPath(id)
		if err != nil {
			if err := a.Drop(id); err != nil {
				return cleaned, err
			}
			continue
		}
		old := k.encode()
		for i := range k.Edits {
			e := &k.Edits[i]
			e.Before, e.After = items.Without(e.Before, gone), items.Without(e.After, gone)
		}
		named := func(id string) bool { return gone[id] }
		k.Forgot, k.Returned = slices.DeleteFunc(k.Forgot, named), slices.DeleteFunc(k.Returned, named)
		for id := range gone {
			k.Tombs = slices.DeleteFunc(k.Tombs, func(hash string) bool { return hash == items.Tombstone(id) })
		}
		switch data := k.encode(); {
		case gone[k.ID] || slices.ContainsFunc(k.Files, func(name string) bool { return files[name] }) || q.In(data) || slices.ContainsFunc(k.Edits, func(e memory.FileEdit) bool { return q.In(e.Before) || q.In(e.After) }):
			err = a.Sys.Remove(path)
		case bytes.Equal(data, old):
			continue
		default:
			err = atomicfile.WriteTo(a.Sys, path, data, 0o600)
		}
		if err != nil {
			return cleaned, err
		}
		cleaned = append(cleaned, path)
	}
	return cleaned, nil
}

// RememberCommand names the command that remembers one fact.
const RememberCommand = "remember"

// RememberTitle names a remembered fact by its id, because its text in a title would outlive a
// purge.
func RememberTitle(id string) string { return "remembering of " + memory.ShortID(id) }

// Keeps reports whether the change with this id is kept.
func (a Archive) Keeps(id string) bool {
	_, err := os.Stat(a.keptPath(id))
	return err == nil
}

// Drop removes the kept change with this id, if it is kept.
func (a Archive) Drop(id string) error { return unlessMissing(a.Sys.Remove(a.keptPath(id))) }

// unlessMissing returns err, or nil if the error is that the file does not exist.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
