package packs

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/internal/safefile"
)

// looseHead bounds the head of a loose object, in bytes: its type, a blank, its size, a NUL.
const looseHead = 32

// loose reads a loose object in a folder of objects. The error is fs.ErrNotExist if there is none.
func loose(f *inflater, folder string, id ID, limit int64) (object, error) {
	name := hex.EncodeToString(id[:])
	file, err := safefile.Open(filepath.Join(folder, name[:2], name[2:]), safefile.NoLink)
	if err != nil {
		return object{}, err
	}
	defer file.Close()
	return unpackLoose(f, file, limit)
}

func unpackLoose(f *inflater, in io.Reader, limit int64) (object, error) {
	if err := f.reset(in); err != nil {
		return object{}, err
	}
	data := bufio.NewReaderSize(f.z, 4096)
	head, err := data.Peek(looseHead)
	if len(head) == 0 {
		return object{}, errors.Join(errDamaged, err)
	}
	text, _, ended := strings.Cut(string(head), "\x00")
	kind, number, _ := strings.Cut(text, " ")
	size, err := strconv.ParseInt(number, 10, 64)
	if !ended || err != nil || size < 0 || size > maxSize || kind == "" || !slices.Contains(kinds[:], kind) {
		return object{}, errDamaged
	}
	if size > limit {
		return object{}, ErrTooLarge
	}
	if _, err := data.Discard(len(text) + 1); err != nil {
		return object{}, errors.Join(errDamaged, err)
	}
	raw, err := exactly(data, size)
	return object{kind, raw}, err
}
