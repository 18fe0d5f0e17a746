package contents

import "slices"

// Found is what is known of some stems in the files. Files are named by numbers:
// places in Paths.
type Found struct {
	Files int // how many there are
	// MeanHeld and MeanDefined are how many stems a file holds, and defines, in
	// the mean over all files.
	MeanHeld, MeanDefined float64
	Paths                 []string // of the files that hold an asked stem
	Held, Defined         []int    // how many stems each of Paths holds, and defines
	Terms                 []Term   // of the asked stems, in their order
}

// Term is one asked stem: the files that hold it, and those that define it, as
// rising places in Found.Paths.
type Term struct{ Held, Defined []int }

// Table keeps the contents of files in memory. It is for one goroutine.
type Table struct {
	docs          map[string]Doc
	held, defined map[uint32]map[string]bool // the files of each stem
	sizes         [2]int                     // of all docs
}

// NewTable returns a Table without a file.
func NewTable() *Table {
	return &Table{docs: map[string]Doc{}, held: map[uint32]map[string]bool{}, defined: map[uint32]map[string]bool{}}
}

// Put sets what the file at path holds; an empty Doc counts as a file too.
func (t *Table) Put(path string, d Doc) {
	t.Remove(path)
	t.docs[path] = d
	note(t.held, d.Held, path)
	note(t.defined, d.Defined, path)
	t.sizes[0] += len(d.Held)
	t.sizes[1] += len(d.Defined)
}

// Remove takes a file out, if it is there.
func (t *Table) Remove(path string) {
	d := t.docs[path]
	delete(t.docs, path)
	forget(t.held, d.Held, path)
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

// Find looks stems up. Paths are sorted.
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
