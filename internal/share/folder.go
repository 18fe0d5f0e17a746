package share

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentflow/memory"
)

// Limits of the data that is accepted from other clones.
const (
	MaxClones   = 2000
	MaxFiles    = 5000     // of a folder
	MaxFolder   = 64 << 20 // bytes of a folder's files
	maxManifest = 1 << 20  // bytes
)

// IsFile reports whether a folder may hold a file with that name: MEMORY.md, a day, a month, a
// note of an agent, or the list of forgotten ids.
func IsFile(name string) bool {
	if name == ForgottenFile || name == memory.LastingFile {
		return true
	}
	if _, ok := memory.DayOf(name); ok {
		return true
	}
	base, ok := strings.CutSuffix(name, ".md")
	if !ok || len(name) > 200 || name == memory.FeedbackFile {
		return false
	}
	for part := range strings.SplitSeq(base, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.ContainsAny(part, `\:*?"<>|`) || strings.HasSuffix(part, " ") || memory.Clean(part) != part {
			return false
		}
	}
	return strings.Count(base, "/") < 8
}

// Folder is the shared data of a clone: a verified manifest, and the files by name, in a form
// that the caller chooses.
type Folder[Blob any] struct {
	*Manifest
	Files map[string]Blob
}

// Entry is a file of a tree before it is checked.
type Entry[Blob any] struct {
	Name string
	Odd  string // the kind of a file that is not a plain one, such as "a symbolic link"
	Size int64
	Blob Blob
}

// Check verifies the folder of a clone. It calls read for the contents of files, but for none
// that is too large. The error describes the first problem.
func Check[Blob any](id CloneID, entries []Entry[Blob], read func(Blob) ([]byte, error)) (f Folder[Blob], err error) {
	found := map[string]Entry[Blob]{}
	total := int64(0)
	for _, e := range entries {
		_, twice := found[e.Name]
		found[e.Name] = e
		switch total += e.Size; {
		case twice:
			return f, fmt.Errorf("it has %q twice", e.Name)
		case e.Odd != "":
			return f, fmt.Errorf("%s is %s", e.Name, e.Odd)
		case e.Name != ManifestFile && !IsFile(e.Name):
			return f, fmt.Errorf("%q is no file of a memory", e.Name)
		}
	}
	m, ok := found[ManifestFile]
	both := fileAndFolder(entries)
	switch {
	case both != "":
		return f, fmt.Errorf("%q is a file and a folder", both)
	case !ok:
		return f, errors.New("it has no manifest")
	case m.Size > maxManifest:
		return f, fmt.Errorf("its manifest has %d bytes", m.Size)
	case len(entries) > MaxFiles:
		return f, fmt.Errorf("it has %d files, more than %d", len(entries), MaxFiles)
	case total > MaxFolder:
		return f, fmt.Errorf("it has %d MB, more than %d", total>>20, MaxFolder>>20)
	}
	raw, err := read(m.Blob)
	if err != nil {
		return f, err
	}
	if f.Manifest, err = ReadManifest(raw); err != nil {
		return f, err
	}
	if f.ID() != id {
		return f, errors.New("it is signed with another clone's key")
	}
	delete(found, ManifestFile)
	f.Files = map[string]Blob{}
	for _, listed := range f.Manifest.Files {
		e, ok := found[listed.Name]
		if !ok || e.Size != listed.Size {
			return f, fmt.Errorf("%s is not as it was signed", listed.Name)
		}
		data, err := read(e.Blob)
		if err != nil {
			return f, err
		}
		if sha256.Sum256(data) != listed.Sum {
			return f, fmt.Errorf("%s is not as it was signed", listed.Name)
		}
		delete(found, listed.Name)
		f.Files[listed.Name] = e.Blob
	}
	for name := range found {
		return f, fmt.Errorf("%s is not in its manifest", name)
	}
	return f, nil
}

// fileAndFolder returns a name that a file and a folder both have, ignoring case, or "" if
// there is none.
func fileAndFolder[Blob any](entries []Entry[Blob]) string {
	files := map[string]bool{}
	for _, e := range entries {
		files[strings.ToLower(e.Name)] = true
	}
	for _, e := range entries {
		for dir := path.Dir(e.Name); dir != "."; dir = path.Dir(dir) {
			if files[strings.ToLower(dir)] {
				return dir
			}
		}
	}
	return ""
}

// Later returns the newer of two states of a clone's folder, and whether that is b.
func Later[Blob any](a, b Folder[Blob]) (Folder[Blob], bool) {
	if a.Manifest == nil {
		return b, b.Manifest != nil
	}
	if b.Manifest == nil || cmp.Or(cmp.Compare(b.Sequence, a.Sequence), bytes.Compare(b.Raw, a.Raw)) <= 0 {
		return a, false
	}
	return b, true
}

// purgedMark is the prefix of a purged id in the list of forgotten ids. Programs that do not
// know such lines skip them.
const purgedMark = "purged "

// Forgotten returns a list of ids, one a line, with a mark on those that were purged.
func Forgotten(ids, purged []string) []byte {
	lines := slices.Clone(ids)
	for _, id := range purged {
		lines = append(lines, purgedMark+id)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
}

// readsMark is the line in a folder's list of forgotten ids that declares that the clone reads
// entries of version 2. Programs that do not know the line skip it, and do not write it.
const readsMark = "reads 2\n"

// Declaring adds the declaration that the clone reads entries of version 2 to a list of
// forgotten ids.
func Declaring(list []byte) []byte { return append(list, readsMark...) }

// Declares reports whether a list of forgotten ids has that declaration.
func Declares(list []byte) bool {
	return bytes.HasSuffix(list, []byte("\n"+readsMark)) || string(list) == readsMark
}

// OnlyDeclares reports whether a list of forgotten ids has only that declaration.
func OnlyDeclares(list []byte) bool { return string(list) == readsMark }

// ReadForgotten returns the ids of a list that Forgotten wrote.
func ReadForgotten(data []byte) (ids []string) {
	for line := range strings.Lines(string(data)) {
		if id := strings.TrimSuffix(line, "\n"); memory.IsID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// ReadPurged returns the purged ids and whole files of such a list.
func ReadPurged(data []byte) (ids []string) {
	for line := range strings.Lines(string(data)) {
		id, marked := strings.CutPrefix(strings.TrimSuffix(line, "\n"), purgedMark)
		name, whole := strings.CutPrefix(id, memory.WholeFile(""))
		if marked && (memory.IsID(id) || whole && IsFile(name)) {
			ids = append(ids, id)
		}
	}
	return ids
}
