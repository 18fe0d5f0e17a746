package writeback

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// kept is a change that Undo can take back, with the data for that. It is stored as records in a file of the
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
func (k kept) empty() bool {
	differs := func(e memory.FileEdit) bool {
		return !bytes.Equal(e.Before, e.After) || (e.Before == nil) != (e.After == nil)
	}
	return len(k.tombs)+len(k.forgot)+len(k.returned) == 0 && !slices.ContainsFunc(k.files, differs)
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
