// Package packs reads git's objects in place: loose, in packs, and in the folders of alternates.
// Indexes are searched in place, so reading an object costs the same among four million others as
// among ten.
//
// Objects are not hashed again, as in git itself. The checksum of the packed data is verified. Only
// SHA-1 repositories and indexes of version 2 are supported (gitformat-pack(5)).
package packs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/safefile"
)

// Errors of Object.
var (
	ErrMissing  = errors.New("the object is not there")
	ErrTooLarge = errors.New("the object is too large")
)

// Store reads the objects of a repository. It is not for concurrent use.
type Store struct {
	folders []*folder
	found   bool // the folders were looked for
	objects string
	unpack  inflater
	depth   int // nesting of objects that deltas refer to by name
}

// folder is one folder of objects: that of the repository, or of an alternate.
type folder struct {
	path    string
	multi   *multi
	packs   map[string]*openPack // by file name without extension
	others  []*openPack          // those in no multi-pack-index, the last useful one first
	files   []*os.File
	listed  time.Time // when the packs were listed
	changed time.Time // when their folder had changed by then; zero: there was none
	damage  error     // of an index that cannot be read: a missing object may be in its pack
}

// openPack is a pack whose files are opened when they are needed.
type openPack struct {
	path  string // without extension
	index *index
	pack  *pack
	gone  bool // it cannot be read: git repacked in the meantime, or it is damaged
}

// Open returns a Store for a folder of objects, ".git/objects". It reads nothing yet.
func Open(objects string) *Store { return &Store{objects: objects} }

// Close closes all open files. The Store may be used again, and then sees the current objects.
func (s *Store) Close() {
	for _, f := range s.folders {
		f.close()
	}
	s.folders, s.found = nil, false
}

// Object returns the type of an object, "commit", "tree", "blob" or "tag", and its bytes, which
// must not be changed. The error is ErrMissing if it is in none of the folders, and ErrTooLarge if
// it has more than limit bytes, or more than 1 GiB.
func (s *Store) Object(id ID, limit int64) (kind string, raw []byte, err error) {
	o, err := s.object(id, limit)
	if errors.Is(err, ErrMissing) && s.depth == 0 && s.mayHaveChanged() { // a running git may have packed it since
		s.Close()
		o, err = s.object(id, limit)
	}
	return o.kind, o.raw, err
}

// mayHaveChanged reports whether there may be packs other than those that were listed.
func (s *Store) mayHaveChanged() bool {
	return slices.ContainsFunc(s.folders, (*folder).mayHaveChanged)
}

// coarse limits how far apart two changes of a folder with the same time can be: the coarsest
// clock of a file system ticks every 2 s.
const coarse = 2 * time.Second

func (f *folder) mayHaveChanged() bool {
	info, err := os.Stat(filepath.Join(f.path, "pack"))
	return err != nil || !info.ModTime().Equal(f.changed) || f.listed.Sub(f.changed) < coarse
}

func (s *Store) object(id ID, limit int64) (object, error) {
	if err := s.find(); err != nil {
		return object{}, err
	}
	var damage error
	for _, f := range s.folders {
		o, err := f.packed(s, id, limit)
		if errors.Is(err, ErrMissing) {
			o, err = loose(&s.unpack, f.path, id, limit)
		}
		if safefile.IsAbsent(err) && f.damage != nil {
			err = f.damage
		}
		switch {
		case err == nil || errors.Is(err, ErrTooLarge):
			return o, err
		case !errors.Is(err, ErrMissing) && !safefile.IsAbsent(err):
			damage = fmt.Errorf("%x: %w", id, err) // it may be intact elsewhere
		}
	}
	if damage != nil {
		return object{}, damage
	}
	return object{}, ErrMissing
}

// packed finds an object in the packs of a folder.
func (f *folder) packed(s *Store, id ID, limit int64) (object, error) {
	var damage error
	if f.multi != nil {
		name, at, ok, err := f.multi.offset(id)
		if err != nil {
			f.damage = fmt.Errorf("%s: multi-pack-index: %w", f.path, err)
		}
		if p := f.packs[name]; err == nil && ok && p != nil {
			o, err := f.read(s, p, at, limit)
			if err == nil || errors.Is(err, ErrTooLarge) {
				return o, err
			}
			damage = err
		}
	}
	for i, p := range f.others {
		at, ok := f.offset(p, id)
		if !ok {
			continue
		}
		o, err := f.read(s, p, at, limit)
		if err == nil || errors.Is(err, ErrTooLarge) {
			if s.depth == 0 { // a caller that asks for a base searches them too
				copy(f.others[1:], f.others[:i])
				f.others[0] = p
			}
			return o, err
		}
		damage = err
	}
	if damage != nil && !safefile.IsAbsent(damage) {
		return object{}, damage
	}
	return object{}, ErrMissing
}

// offset looks an object up in the index of a pack.
func (f *folder) offset(p *openPack, id ID) (at int64, ok bool) {
	if p.index == nil && !p.gone {
		in, size, err := f.open(p.path + ".idx")
		if err == nil {
			p.index, err = openIndex(in, size)
		}
		if p.gone = err != nil; p.gone && !safefile.IsAbsent(err) {
			f.damage = fmt.Errorf("%s.idx: %w", p.path, err)
		}
	}
	if p.gone {
		return 0, false
	}
	at, ok, err := p.index.offset(id)
	if err != nil {
		f.damage = fmt.Errorf("%s.idx: %w", p.path, err)
	}
	return at, ok && err == nil
}

// read unpacks an object of a pack.
func (f *folder) read(s *Store, p *openPack, at, limit int64) (object, error) {
	if p.pack == nil {
		in, size, err := f.open(p.path + ".pack")
		if err != nil {
			return object{}, err
		}
		p.pack = &pack{in: in, size: size}
	}
	return p.pack.object(&s.unpack, at, limit, s.named)
}

// named returns a base that a delta refers to by name, of any size.
func (s *Store) named(id ID) (object, error) {
	if s.depth++; s.depth > maxNamed {
		s.depth--
		return object{}, errDamaged
	}
	defer func() { s.depth-- }()
	return s.object(id, maxSize)
}

// maxNamed bounds how many deltas in a row may refer to their bases by name. Such deltas are in
// packs that git fetched and did not index again.
const maxNamed = 4096

func (f *folder) open(path string) (*os.File, int64, error) {
	in, err := safefile.Open(path, safefile.AnyLink)
	if err != nil {
		return nil, 0, err
	}
	f.files = append(f.files, in)
	info, err := in.Stat()
	if err != nil {
		return nil, 0, err
	}
	return in, info.Size(), nil
}

func (f *folder) close() {
	for _, file := range f.files {
		_ = file.Close() // it was only read
	}
}

// find finds the folders and their packs.
func (s *Store) find() error {
	if s.found {
		return nil
	}
	paths, err := withAlternates(s.objects)
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := findPacks(path)
		if err != nil {
			return err
		}
		s.folders = append(s.folders, f)
	}
	s.found = true
	return nil
}

func findPacks(objects string) (*folder, error) {
	f := &folder{path: objects, packs: map[string]*openPack{}, listed: time.Now()}
	if info, err := os.Stat(filepath.Join(objects, "pack")); err == nil {
		f.changed = info.ModTime()
	}
	items, err := os.ReadDir(filepath.Join(objects, "pack"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading packs: %w", err)
	}
	for _, item := range items {
		if name, ok := strings.CutSuffix(item.Name(), ".idx"); ok && !strings.HasPrefix(name, ".") {
			f.packs[name] = &openPack{path: filepath.Join(objects, "pack", name)}
		}
	}
	covered := map[string]bool{}
	if in, size, err := f.open(filepath.Join(objects, "pack", "multi-pack-index")); err == nil {
		if f.multi, err = openMulti(in, size); err != nil {
			f.multi = nil // each pack also has a separate index
		} else {
			for _, name := range f.multi.packs {
				covered[name] = true
			}
		}
	}
	for name, p := range f.packs {
		if !covered[name] {
			f.others = append(f.others, p)
		}
	}
	return f, nil
}
