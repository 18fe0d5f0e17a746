package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"agentflow/internal/safefile"
)

// A checkpoint holds its records in this order: OpStart; OpFile for each file; all others;
// OpContents, whose text lists where the records of the files are; OpEnd, which holds the place of
// OpContents. A reader that needs few files reads the end, and then only those files. A checkpoint
// without the last two records, which older programs wrote, is read whole.

// place is where the record of a file is in a checkpoint.
type place struct {
	File string `json:"file"`
	At   int64  `json:"at"` // of the line's first byte
	Size int64  `json:"n"`  // of the line, with its newline
}

// Writer makes a checkpoint.
type Writer struct {
	data     []byte
	contents []place
}

// NewWriter begins a checkpoint of a log up to a position.
func NewWriter(covers Position) *Writer {
	return &Writer{data: Record{Op: OpStart, Gen: NewGen(), Covers: covers.Gen, Offset: covers.Offset}.Encode(nil)}
}

// File adds the contents of a file. It must be called before all calls of Add.
func (w *Writer) File(name string, text []byte) {
	at := int64(len(w.data))
	w.data = Record{Op: OpFile, File: name, Kept: true, Text: text}.Encode(w.data)
	w.contents = append(w.contents, place{NameToJSON(name), at, int64(len(w.data)) - at})
}

// Add adds another record.
func (w *Writer) Add(r Record) { w.data = r.Encode(w.data) }

// Bytes ends the checkpoint and returns it.
func (w *Writer) Bytes() []byte {
	list, err := json.Marshal(w.contents)
	if err != nil {
		panic("journal: names and numbers have no JSON: " + err.Error())
	}
	at := int64(len(w.data))
	w.Add(Record{Op: OpContents, Text: list})
	w.Add(Record{Op: OpEnd, Offset: at})
	return w.data
}

// Stored is the contents of a file in a checkpoint, not yet read.
type Stored struct {
	log   Log
	gen   string // of the checkpoint
	place place
}

// ErrReplaced reports that a Stored's checkpoint was replaced in the meantime.
var ErrReplaced = errors.New("the checkpoint was replaced meanwhile")

// Read reads the contents. The error is ErrDamaged if the checksum does not match.
func (s *Stored) Read() ([]byte, error) {
	f, err := safefile.Open(s.log.Checkpoint(), safefile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if start, err := firstRecord(f); err != nil || start.Gen != s.gen {
		return nil, errors.Join(ErrReplaced, err)
	}
	line := make([]byte, s.place.Size)
	if _, err := f.ReadAt(line, s.place.At); err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	r, err := Decode(bytes.TrimSuffix(line, []byte{'\n'}))
	if err != nil || r.Op != OpFile || r.File != NameFromJSON(s.place.File) {
		return nil, ErrDamaged
	}
	if r.Text == nil {
		r.Text = []byte{} // an empty file exists
	}
	return r.Text, nil
}

// lineAhead limits the read of a short record at the file's beginning or end, in
// bytes.
const lineAhead = 512

func firstRecord(f io.ReaderAt) (Record, error) {
	head := make([]byte, lineAhead)
	n, err := f.ReadAt(head, 0)
	line, _, ok := bytes.Cut(head[:n], []byte{'\n'})
	if !ok {
		return Record{}, errors.Join(ErrDamaged, noEOF(err))
	}
	return Decode(line)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// replayCheckpoint calls apply with the records of the checkpoint, except those of files, which it
// passes to file. It returns the first record. damage lists what could not be read.
func (l Log) replayCheckpoint(apply Apply, file func(name string, s *Stored)) (start Record, damage []string, err error) {
	f, err := safefile.Open(l.Checkpoint(), safefile.NoLink)
	if safefile.IsAbsent(err) {
		return start, nil, nil
	}
	if err != nil {
		return start, nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	defer f.Close()
	start, contents, rest, err := ending(f)
	if err != nil {
		return start, nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	if rest == nil {
		return l.replayWhole(apply)
	}
	for _, p := range contents {
		file(NameFromJSON(p.File), &Stored{l, start.Gen, p})
	}
	_, damage = Each("checkpoint", rest, 0, func(r Record, _ int64) { apply(r, 0) })
	return start, damage, nil
}

// InParts reports whether the checkpoint can be read in parts.
func (l Log) InParts() bool {
	f, err := safefile.Open(l.Checkpoint(), safefile.NoLink)
	if err != nil {
		return false
	}
	defer f.Close()
	_, _, err = lastRecord(f)
	return err == nil
}

// lastRecord returns the OpEnd of a checkpoint and the checkpoint's size in bytes.
func lastRecord(f *os.File) (end Record, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return end, 0, err
	}
	tail := make([]byte, min(lineAhead, info.Size()))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return end, 0, err
	}
	tail = bytes.TrimSuffix(tail, []byte{'\n'})
	end, err = Decode(tail[bytes.LastIndexByte(tail, '\n')+1:])
	if err == nil && (end.Op != OpEnd || end.Offset <= 0 || end.Offset >= info.Size()) {
		err = ErrDamaged
	}
	return end, info.Size(), err
}

// ending reads the part of a checkpoint after its files. rest is nil if that part cannot be found,
// or is damaged.
func ending(f *os.File) (start Record, contents []place, rest []byte, err error) {
	end, size, err := lastRecord(f)
	if err != nil { // reading the whole checkpoint reports the damage
		return start, nil, nil, nil
	}
	list := make([]byte, size-end.Offset)
	if _, err := f.ReadAt(list, end.Offset); err != nil {
		return start, nil, nil, err
	}
	line, _, _ := bytes.Cut(list, []byte{'\n'})
	r, err := Decode(line)
	if err != nil || r.Op != OpContents || json.Unmarshal(r.Text, &contents) != nil {
		return start, nil, nil, nil
	}
	if start, err = firstRecord(f); err != nil {
		return start, nil, nil, nil
	}
	behind := int64(0)
	for _, p := range contents {
		if p.At < behind || p.Size <= 0 || p.At+p.Size > end.Offset {
			return start, nil, nil, nil
		}
		behind = p.At + p.Size
	}
	rest = make([]byte, end.Offset-behind)
	if _, err = f.ReadAt(rest, behind); err == nil && !bytes.HasSuffix(rest, []byte{'\n'}) && len(rest) > 0 {
		return start, nil, nil, nil
	}
	return start, contents, rest, err
}

// replayWhole reads a checkpoint from beginning to end.
func (l Log) replayWhole(apply Apply) (start Record, damage []string, err error) {
	check, err := safefile.Read(l.Checkpoint(), safefile.NoLink, MaxSize)
	if err != nil && !safefile.IsAbsent(err) {
		return start, nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	if line, _, ok := bytes.Cut(check, []byte{'\n'}); ok {
		start, _ = Decode(line) // a damaged one is reported below
	}
	_, damage = Each("checkpoint", check, 0, func(r Record, _ int64) { apply(r, 0) })
	return start, damage, nil
}
