package contents

import "slices"

// Found is the result of looking up stems. It refers to files by their index in
// Paths.
type Found struct {
	Files int // number of all files
	// MeanHeld and MeanDefined are how many stems a file holds and defines, as
	// the mean over all files.
	MeanHeld, MeanDefined float64
	Paths                 []string // of the files that hold an asked stem
	Held, Defined         []int    // number of stems that each of Paths holds, and defines
	Terms                 []Term   // of the requested stems, in their order
}

// Term lists for one requested stem the files that hold it and the files that
// define it, as ascending indexes of Found.Paths.
type Term struct{ Held, Defined []int }

// Table keeps the contents of files in memory. Only one goroutine may use it.
type Table struct {
	docs          map[string]Doc
	held, defined map[uint32]map[string]bool // files by stem
	sizes         [2]int                     // total number of stems held, and defined
}

// NewTable returns an empty Table.
func NewTable() *Table {
	return &Table{docs: map[string]Doc{}, held: map[uint32]map[string]bool{}, defined: map[uint32]map[string]bool{}}
}

// Put records the contents of the file at path. An empty Doc counts as a file
// too.
func (t *Table) Put(path string, d Doc) {
	t.Remove(path)
	t.docs[path] = d
	note(t.held, d.Held, path)
	note(t.held, d.exact(path), path)
	note(t.defined, d.Defined, path)
	t.sizes[0] += len(d.Held)
	t.sizes[1] += len(d.Defined)
}

// Remove removes a file, if it is present.
func (t *Table) Remove(path string) {
	d := t.docs[path]
	delete(t.docs, path)
	forget(t.held, d.Held, path)
	forget(t.held, d.exact(path), path)
	forget(t.defined, d.Defined, path)
	t.sizes[0] -= len(d.Held)
	t.sizes[1] -= len(d.Defined)
}

func note(of map[uint32]map[string]bool, hashes []uint32, path string) {
	for _, h := range hashes {
		if of[h] == nil {
			of[h] = map[string]bool{}
		}
		of[h][path] = true
	}
}

func forget(of map[uint32]map[string]bool, hashes []uint32, path string) {
	for _, h := range hashes {
		if delete(of[h], path); len(of[h]) == 0 {
			delete(of, h)
		}
	}
}

// Find looks up stems. Paths are sorted.
func (t *Table) Find(hashes []uint32) Found {
	f := Found{Files: len(t.docs), Terms: make([]Term, len(hashes))}
	if f.Files > 0 {
		f.MeanHeld, f.MeanDefined = float64(t.sizes[0])/float64(f.Files), float64(t.sizes[1])/float64(f.Files)
	}
	for _, h := range hashes {
		for path := range t.held[h] {
			f.Paths = append(f.Paths, path)
		}
	}
	slices.Sort(f.Paths)
	f.Paths = slices.Compact(f.Paths)
	f.Held, f.Defined = make([]int, len(f.Paths)), make([]int, len(f.Paths))
	for i, path := range f.Paths {
		d := t.docs[path]
		f.Held[i], f.Defined[i] = len(d.Held), len(d.Defined)
		for n, h := range hashes {
			if t.held[h][path] {
				f.Terms[n].Held = append(f.Terms[n].Held, i)
			}
			if t.defined[h][path] {
				f.Terms[n].Defined = append(f.Terms[n].Defined, i)
			}
		}
	}
	return f
}
