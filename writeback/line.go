package writeback

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strconv"
)

// op is what a log record says.
type op string

const (
	opStart   op = "start"   // first record of a log or checkpoint: Gen, and for a checkpoint Covers and Offset
	opEntry   op = "entry"   // append Text, the entry ID, to File
	opRestore op = "restore" // the same, after it was forgotten or had vanished
	opForget  op = "forget"  // take ID out of every file; Text is what it was
	opPurge   op = "purge"   // as forget, and keep no text of it
	opPin     op = "pin"     // mark ID as pinned in every file
	opUnpin   op = "unpin"   // take that mark off
	opChange  op = "change"  // make the files hold what Text, a change as JSON, says
	opDone    op = "done"    // the record Of ID is in Markdown; of a change that was taken back: Kept
	opFile    op = "file"    // File holds Text now
	opNoFile  op = "nofile"  // File was deleted by hand
	opLost    op = "lost"    // ID, last in File as Text, is gone by hand
	opFound   op = "found"   // a lost ID is back by hand
	opTomb    op = "tomb"    // Hash is the tombstone of something forgotten
)

// edits says whether an operation changes what stands in files, rather than
// append to one.
func (o op) edits() bool {
	return o == opForget || o == opPurge || o == opPin || o == opUnpin
}

// record is one line of the log.
type record struct {
	Op     op     `json:"op"`
	ID     string `json:"id,omitempty"`
	Of     op     `json:"of,omitempty"`     // done: which operation
	Kept   bool   `json:"kept,omitempty"`   // done: it stood in the file already
	File   string `json:"file,omitempty"`   // relative to the memory folder, '/' separated
	Title  string `json:"title,omitempty"`  //
	Stamp  int64  `json:"stamp,omitempty"`  // done: mtime of the file after it, ns since 1970; of several the last
	Hash   string `json:"hash,omitempty"`   // tomb
	Forgot bool   `json:"forgot,omitempty"` // lost, in a checkpoint: by forget
	Gen    string `json:"gen,omitempty"`    // start: names this log
	Covers string `json:"covers,omitempty"` // start of a checkpoint: the log it holds …
	Offset int64  `json:"offset,omitempty"` // … up to here

	Text []byte `json:"-"` // any bytes
}

// A line is a CRC-32C of the rest in eight hex digits, a space, the record as
// JSON, a tab, the text with '\' and newline escaped, a newline. JSON never
// holds a raw tab or newline, so the parts cannot be confused, and a person
// can read a text out of the log with any pager.

var (
	errDamaged = errors.New("checksum does not match")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

const sumLen = 8

// encode appends r's line to dst.
func (r record) encode(dst []byte) []byte {
	r.ID, r.File = nameToJSON(r.ID), nameToJSON(r.File) // a lost file's id is made of its name
	head, err := json.Marshal(r)
	if err != nil {
		panic("writeback: a record of plain strings has no JSON: " + err.Error())
	}
	at := len(dst)
	dst = append(dst, "00000000 "...)
	dst = append(dst, head...)
	dst = append(dst, '\t')
	dst = escape(dst, r.Text)
	sum := strconv.FormatUint(uint64(crc32.Checksum(dst[at+sumLen+1:], castagnoli)), 16)
	copy(dst[at+sumLen-len(sum):], sum)
	return append(dst, '\n')
}

// decode reads one line without its newline.
func decode(line []byte) (record, error) {
	if len(line) <= sumLen || line[sumLen] != ' ' {
		return record{}, errDamaged
	}
	sum, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	body := line[sumLen+1:]
	if err != nil || crc32.Checksum(body, castagnoli) != uint32(sum) {
		return record{}, errDamaged
	}
	head, text, ok := bytes.Cut(body, []byte{'\t'})
	if !ok {
		return record{}, errDamaged
	}
	var r record
	if err := json.Unmarshal(head, &r); err != nil {
		return record{}, err
	}
	r.ID, r.File, r.Text = nameFromJSON(r.ID), nameFromJSON(r.File), unescape(text)
	return r, nil
}

func escape(dst, text []byte) []byte {
	for {
		i := bytes.IndexAny(text, "\\\n")
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		if text[i] == '\n' {
			dst = append(dst, `\n`...)
		} else {
			dst = append(dst, `\\`...)
		}
		text = text[i+1:]
	}
}

func unescape(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		if text[i+1] == 'n' {
			out = append(out, '\n')
		} else {
			out = append(out, text[i+1])
		}
		text = text[i+2:]
	}
}
