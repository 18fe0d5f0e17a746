package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// Kept is a change that Undo can take back, with the data for that. It is stored as records in a file of the
// folder changes, and not in the log: a rotation drops the earlier contents of files from the log,
// and the log is read too often to carry them.
type Kept struct {
	Made
	Source   string // see view.Lost
	Edits    []memory.FileEdit
	Tombs    []string // hashes of the tombstones that it added
	Forgot   []string // ids that it forgot
	Returned []string // ids that it made no longer forgotten
}

// keptHead is the text of the first record.
type keptHead struct {
	Command string
	Title   string
	Files   []string
	Undoes  string
	Source  string
}

// empty reports whether taking the change back would change nothing, because a purge removed all
// that it changed.
func (k Kept) empty() bool {
	differs := func(e memory.FileEdit) bool {
		return !bytes.Equal(e.Before, e.After) || (e.Before == nil) != (e.After == nil)
	}
	return len(k.Tombs)+len(k.Forgot)+len(k.Returned) == 0 && !slices.ContainsFunc(k.Edits, differs)
}

// encode returns the records: the head, each file before and after, and the ids.
func (k Kept) encode() []byte {
	names := make([]string, len(k.Files))
	for i, name := range k.Files {
		names[i] = journal.NameToJSON(name)
	}
	head, err := json.Marshal(keptHead{k.Command, k.Title, names, k.Undoes, k.Source})
	if err != nil {
		panic("writeback: plain strings have no JSON: " + err.Error())
	}
	data := journal.Record{Op: journal.OpChange, ID: k.ID, Stamp: k.At.UnixNano(), Text: head}.Encode(nil)
	for _, e := range k.Edits {
		for _, content := range [][]byte{e.Before, e.After} {
			r := journal.Record{Op: journal.OpFile, File: e.File, Text: content}
			if content == nil {
				r.Op = journal.OpNoFile
			}
			data = r.Encode(data)
		}
	}
	for _, hash := range k.Tombs {
		data = journal.Record{Op: journal.OpTomb, Hash: hash}.Encode(data)
	}
	for _, id := range k.Forgot {
		data = journal.Record{Op: journal.OpForget, ID: id}.Encode(data)
	}
	for _, id := range k.Returned {
		data = journal.Record{Op: journal.OpRestore, ID: id}.Encode(data)
	}
	return journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: k.ID}.Encode(data)
}

// decodeKept reads records that encode wrote. It returns an error if they are damaged.
func decodeKept(data []byte) (k Kept, err error) {
	var contents [][]byte
	whole := false
	_, damage := journal.Each("the change", data, 0, func(r journal.Record, _ int64) {
		switch r.Op {
		case journal.OpChange:
			var head keptHead
			err = json.Unmarshal(r.Text, &head)
			k.Made = Made{ID: r.ID, Command: head.Command, Title: head.Title, At: time.Unix(0, r.Stamp), Undoes: head.Undoes}
			k.Source = head.Source
			for _, name := range head.Files {
				k.Files = append(k.Files, journal.NameFromJSON(name))
			}
		case journal.OpFile:
			contents = append(contents, append([]byte{}, r.Text...))
		case journal.OpNoFile:
			contents = append(contents, nil)
		case journal.OpTomb:
			k.Tombs = append(k.Tombs, r.Hash)
		case journal.OpForget:
			k.Forgot = append(k.Forgot, r.ID)
		case journal.OpRestore:
			k.Returned = append(k.Returned, r.ID)
		case journal.OpDone:
			whole = true
		}
	})
	if err != nil || len(damage) > 0 || !whole || len(contents) != 2*len(k.Files) {
		return Kept{}, errors.New("what is kept of the change is damaged")
	}
	for i, name := range k.Files {
		k.Edits = append(k.Edits, memory.FileEdit{File: name, Before: contents[2*i], After: contents[2*i+1]})
	}
	return k, nil
}
