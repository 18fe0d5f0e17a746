// Package contents knows which names the files of a work tree hold, so that a
// task that uses one of them leads to the file. Of a file it keeps the stems of
// its identifiers as 32-bit hashes, and apart those that the file defines; no
// text.
//
// Table keeps that in memory. Update keeps it in a file of a work tree, which Store
// searches. The file can be removed at any time: the next Update makes it anew.
//
// The file is SQLite, and what it holds are pieces: some thousand files each with
// their stems, in buckets by the first bits of a stem. An update adds a piece with
// the files that it read, and marks those that they replace as dead in theirs. Small
// pieces are put together now and then, so that there are few. (Measured with 5,000
// files of Go's library: 1.5 MB, built in 0.7 s; four rare stems are found in 0.25 ms, twenty common ones in 0.75 ms,
// and in 0.75 ms where 3,500 files hold one.)
package contents

import (
	"bytes"
	"slices"
	"strings"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// MaxText is how many bytes of a file count: its beginning.
const MaxText = 120 << 10

// minLetters is how many letters an identifier has at least.
const minLetters = 3

// Doc is what is kept of one file: sorted hashes of stems, each once.
type Doc struct {
	Held    []uint32 // of its identifiers and their parts
	Defined []uint32 // of those that it defines
}

// Of reads the first MaxText bytes of a file. A file that is no text has an
// empty Doc.
func Of(text []byte) Doc {
	return NewReader().Of(text)
}

// Reader reads many files: it stems each word once. It is for one goroutine.
type Reader struct{ known map[string][]uint32 }

// maxKnown bounds the words that a Reader keeps: about 10 MB.
const maxKnown = 1 << 16

// NewReader returns a Reader that has read nothing.
func NewReader() *Reader { return &Reader{known: map[string][]uint32{}} }

// Of is the function Of.
func (r *Reader) Of(text []byte) Doc {
	text = text[:min(len(text), MaxText)]
	if bytes.IndexByte(text, 0) >= 0 {
		return Doc{}
	}
	var d Doc
	defines := false
	for word := range identifiers(text) {
		hashes := r.hashes(word)
		d.Held = append(d.Held, hashes...)
		if defines {
			d.Defined = append(d.Defined, hashes...)
		}
		defines = definers[string(word)]
	}
	return Doc{Held: distinct(d.Held), Defined: distinct(d.Defined)}
}

// definers are the words before a name that a file defines, in the languages
// that have such words.
var definers = words.Set(`class const def defmodule enum fn fun func function impl interface let macro module object
	proc protocol record struct sub trait type typedef union val var`)

// hashes are those of an identifier's stem and of its parts' stems. The slice is
// not to be changed.
func (r *Reader) hashes(word []byte) []uint32 {
	if list, ok := r.known[string(word)]; ok {
		return list
	}
	list := hashesOf(string(word))
	if len(r.known) == maxKnown {
		clear(r.known)
	}
	r.known[string(word)] = list
	return list
}

func hashesOf(word string) []uint32 {
	var list []uint32
	for _, part := range append(words.Parts(word), word) {
		part = strings.ToLower(part)
		if len(part) >= minLetters && !words.IsStopword(part) {
			list = append(list, stems.Hash(words.Stem(part)))
		}
	}
	return list
}

// distinct sorts a list and leaves out repetitions.
func distinct(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}
