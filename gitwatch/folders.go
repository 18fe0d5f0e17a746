package gitwatch

import (
	"sort"
	"strings"
)

// folder is one folder of the index. A work tree is compared folder by
// folder: one visit opens it, looks at its tracked files and lists it.
type folder struct {
	path       string // "" or ending in '/'
	spans      []span // the entries that stand in it, by their place in the index
	subs       []*folder
	first, end int // its entries with all below it
}

// span is the entries from…to-1 of the index.
type span struct{ from, to int }

// foldersOf sorts the entries of an index into their folders: the first is
// the top, and parents stand before what is in them.
func foldersOf(entries []indexEntry) []*folder {
	top := &folder{}
	all, open := []*folder{top}, []*folder{top}
	for i := range entries {
		name := entries[i].name
		here := open[len(open)-1]
		for !strings.HasPrefix(name, here.path) {
			here.end = i
			open = open[:len(open)-1]
			here = open[len(open)-1]
		}
		for {
			slash := strings.IndexByte(name[len(here.path):], '/')
			if slash < 0 {
				break
			}
			sub := &folder{path: name[:len(here.path)+slash+1], first: i}
			here.subs = append(here.subs, sub)
			all, open = append(all, sub), append(open, sub)
			here = sub
		}
		if last := len(here.spans) - 1; last >= 0 && here.spans[last].to == i {
			here.spans[last].to++
		} else {
			here.spans = append(here.spans, span{i, i + 1})
		}
	}
	for _, f := range open {
		f.end = len(entries)
	}
	return all
}

// sub is the tracked folder that stands in f under a name, or nil.
func (f *folder) sub(name string) *folder {
	key := f.path + name + "/"
	i := sort.Search(len(f.subs), func(i int) bool { return f.subs[i].path >= key })
	if i == len(f.subs) || f.subs[i].path != key {
		return nil
	}
	return f.subs[i]
}
