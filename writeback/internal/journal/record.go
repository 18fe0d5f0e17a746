// Package journal implements the log of a memory: an append-only file of checksummed records, which
// are synced before anything else is written, and a checkpoint that holds the state of an older
// log. The package writeback defines what the records mean.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Op is the operation that a record describes.
type Op string

// The operations.

const (
	OpStart   Op = "start"   // first record of a log or checkpoint: Gen, and for a checkpoint Covers and Offset
	OpEntry   Op = "entry"   // append Text, the entry ID, to File
	OpRestore Op = "restore" // as entry, for one that was forgotten or had vanished
	OpForget  Op = "forget"  // remove ID from every file; Text is its former text
	OpPurge   Op = "purge"   // as forget, but keep no text of it
	OpPin     Op = "pin"     // mark ID as pinned in every file
	OpUnpin   Op = "unpin"   // remove that mark
	OpChange  Op = "change"  // give the files the contents in Text, a change as JSON
	OpDone    Op = "done"    // the record Of ID is in Markdown; Kept: the change was taken back
	OpFile    Op = "file"    // File holds Text now
	OpNoFile  Op = "nofile"  // File was deleted by hand
	OpLost    Op = "lost"    // ID, last in File as Text, was removed by hand
	OpFound   Op = "found"   // a lost ID is back by hand
	OpTomb    Op = "tomb"    // Hash is the tombstone of something forgotten
	OpWritten Op = "written" // in a checkpoint: who wrote File is in Text, as JSON

	OpContents Op = "contents" // in a checkpoint: where the records of files are, as JSON
	OpEnd      Op = "end"      // last record of a checkpoint: Offset is that of OpContents
)

// Edits reports whether an operation changes entries in files, rather than appending to one.
func (o Op) Edits() bool {
	return o == OpForget || o == OpPurge || o == OpPin || o == OpUnpin
}

// Record is one line of the log.
type Record struct {
	Op     Op     `json:"op"`
	ID     string `json:"id,omitempty"`
	Of     Op     `json:"of,omitempty"`     // done: which operation
	Kept   bool   `json:"kept,omitempty"`   // done: it was in the file already; file: in a checkpoint
	File   string `json:"file,omitempty"`   // relative to the memory folder, '/' separated
	Title  string `json:"title,omitempty"`  //
	Stamp  int64  `json:"stamp,omitempty"`  // done: mtime of the file afterwards, ns since 1970; of several files, that of the last
	Hash   string `json:"hash,omitempty"`   // tomb; purge, of a whole file: SHA-256 of its contents, hex
	Forgot bool   `json:"forgot,omitempty"` // lost, in a checkpoint: by forget
	By     string `json:"by,omitempty"`     // lost, in a checkpoint: the id of the change that forgot it
	Gen    string `json:"gen,omitempty"`    // start: names this log
	Covers string `json:"covers,omitempty"` // start of a checkpoint: the log it holds …
	Offset int64  `json:"offset,omitempty"` // … up to here; end: see OpEnd
	Undo   bool   `json:"undo,omitempty"`   // entry: an undo can take it back

	Text []byte `json:"-"` // any bytes
}

// A line is a CRC-32C of the rest in eight hex digits, a space, the record as JSON, a tab, the text
// with '\' and newline escaped, and a newline. JSON never holds a raw tab or newline, so the parts
// cannot be confused, and a person can read a text in the log with any pager.

var (
	// ErrDamaged is the error of a line whose checksum does not match.
	ErrDamaged = errors.New("checksum does not match")
	castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }) // 0.17 ms
)

// Sum returns the checksum of a text: its CRC-32C.
func Sum(text []byte) uint32 { return crc32.Checksum(text, castagnoli()) }

const sumLen = 8

// Encode appends r's line to dst.
func (r Record) Encode(dst []byte) []byte {
	r.ID, r.File = NameToJSON(r.ID), NameToJSON(r.File) // the id of a lost file contains its name
	head, err := json.Marshal(r)
	if err != nil {
		panic("journal: a record of plain strings has no JSON: " + err.Error())
	}
	at := len(dst)
	dst = append(dst, "00000000 "...)
	dst = append(dst, head...)
	dst = append(dst, '\t')
	dst = escape(dst, r.Text)
	sum := strconv.FormatUint(uint64(Sum(dst[at+sumLen+1:])), 16)
	copy(dst[at+sumLen-len(sum):], sum)
	return append(dst, '\n')
}

// Decode reads one line without its newline.
func Decode(line []byte) (Record, error) {
	if len(line) <= sumLen || line[sumLen] != ' ' {
		return Record{}, ErrDamaged
	}
	sum, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	body := line[sumLen+1:]
	if err != nil || Sum(body) != uint32(sum) {
		return Record{}, ErrDamaged
	}
	head, text, ok := bytes.Cut(body, []byte{'\t'})
	if !ok {
		return Record{}, ErrDamaged
	}
	var r Record
	if err := json.Unmarshal(head, &r); err != nil {
		return Record{}, err
	}
	r.ID, r.File, r.Text = NameFromJSON(r.ID), NameFromJSON(r.File), unescape(text)
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

// JSON cannot hold bytes that are not UTF-8, but file names may have them. Such a name is written
// as Go quotes it, with the quotes. So is a name that begins with a quote.

// NameToJSON returns a name in the form for JSON.
func NameToJSON(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return strconv.QuoteToASCII(name)
}

// NameFromJSON reverses NameToJSON.
func NameFromJSON(text string) string {
	if name, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return name
	}
	return text
}
