package files

import (
	"cmp"
	"math"
	"slices"

	"agentflow/internal/roles"
)

// Window is the newest entries of memory as numbers, read for one query.
type Window struct {
	query   *Query
	entries []entry // the newest first
	paths   []file
	at      map[uint64]int32 // places in paths, by key
	kinds   map[uint32]int32 // numbers of the kinds of files
	folders map[uint32]int32
	places  []int32 // of all entries: see entry.paths
}

type entry struct {
	id, date    int64
	kind, scope bool  // its title begins as the query does
	title       terms // of the query in its title
	words       int   // stems of its title
	from, to    int32 // of its paths in Window.places
	weight      float64
}

// pathsOf returns the places of an entry's paths.
func (w *Window) pathsOf(e *entry) []int32 { return w.places[e.from:e.to] }

// file is a path that entries name.
type file struct {
	name         []byte
	role         roles.Role
	kind, folder int32
	words, named terms // of the query in the path, and in its base name
	length, base int   // stems of the path, and of its base name
	touches      int   // entries that name it
	age          int   // number of entries since the newest one of the path; all if it has none
}

// ReadWindow reads encoded Blocks for a query, and keeps the n newest entries.
// The Blocks must not be changed while the Window is in use. Where bytes are no
// Block it fails with ErrBlock.
func ReadWindow(q *Query, blocks [][]byte, n int) (*Window, error) {
	paths, entries := 0, 0
	for _, data := range blocks {
		r := reader{data: data}
		p, e := r.head()
		paths, entries = paths+int(p), entries+int(e)
	}
	w := &Window{query: q, at: make(map[uint64]int32, paths/2), paths: make([]file, 0, paths/2), kinds: map[uint32]int32{}, folders: map[uint32]int32{},
		entries: make([]entry, 0, entries), places: make([]int32, 0, 4*entries)}
	for _, data := range blocks {
		if err := w.read(data); err != nil {
			return nil, err
		}
	}
	w.keep(n)
	return w, nil
}

// read adds the entries of a Block, the last one first: it is nearly always the
// newest.
func (w *Window) read(data []byte) error {
	r := reader{data: data}
	paths, entries := r.head()
	places := make([]int32, paths)
	for i := range places {
		places[i] = w.place(r.path())
	}
	first := len(w.entries)
	for range entries {
		w.take(r.entry(paths), places)
	}
	slices.Reverse(w.entries[first:])
	return r.end()
}

func (w *Window) take(r readEntry, places []int32) {
	e := entry{id: r.id, date: r.date, kind: r.kind != 0 && r.kind == w.query.kind, scope: r.scope != 0 && r.scope == w.query.scope,
		title: w.query.held(r.title), words: r.title.len(), from: int32(len(w.places)), weight: 1 / math.Sqrt(float64(max(1, r.paths.len())))}
	for i := range r.paths.len() {
		w.places = append(w.places, places[r.paths.at(i)])
	}
	e.to = int32(len(w.places))
	w.entries = append(w.entries, e)
}

func (w *Window) place(p readPath) int32 {
	if n, ok := w.at[p.key]; ok {
		return n
	}
	words := w.query.held(p.stems)
	return w.add(p.key, file{name: p.name, kind: numberOf(w.kinds, p.kind), folder: numberOf(w.folders, p.folder),
		words: words, named: w.query.held(p.stems[:4*p.base]), length: p.stems.len(), base: int(p.base)})
}

func (w *Window) add(key uint64, f file) int32 {
	n := int32(len(w.paths))
	w.at[key] = n
	w.paths = append(w.paths, f)
	return n
}

// know returns the place of a path that may not be named in the Window, and adds it if needed.
func (w *Window) know(name string) int32 {
	if n, ok := w.at[key(name)]; ok {
		return n
	}
	p := newPath(name)
	var encoded writer
	encoded.numbers(p.stems...)
	n := w.place(readPath{key: key(name), folder: p.folder, kind: p.kind, base: p.base, stems: numbers(encoded), name: []byte(name)})
	w.paths[n].age = len(w.entries)
	return n
}

// numberOf returns the number of a hash, and assigns the next one to a new hash.
func numberOf(known map[uint32]int32, hash uint32) int32 {
	n, ok := known[hash]
	if !ok {
		n = int32(len(known))
		known[hash] = n
	}
	return n
}

// keep keeps the n newest entries, and counts the paths that they touch.
func (w *Window) keep(n int) {
	newestFirst := func(a, b entry) int { return cmp.Or(cmp.Compare(b.date, a.date), cmp.Compare(b.id, a.id)) }
	if !slices.IsSortedFunc(w.entries, newestFirst) {
		slices.SortFunc(w.entries, newestFirst)
	}
	w.entries = w.entries[:min(n, len(w.entries))]
	for i := range w.paths {
		w.paths[i].age = len(w.entries)
	}
	for age := range w.entries {
		for _, p := range w.pathsOf(&w.entries[age]) {
			f := &w.paths[p]
			f.touches++
			f.age = min(f.age, age)
		}
	}
}
