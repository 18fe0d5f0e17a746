package items

import (
	"cmp"
	"errors"
	"slices"
)

// Ref names an entry or fact.
type Ref struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	File  string `json:"file"` // relative to the memory folder, '/' separated
}

// SortRefs sorts by file, then by id.
func SortRefs(refs []Ref) {
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.ID, b.ID))
	})
}

// ErrNotFound reports that no entry or fact has the id.
var ErrNotFound = errors.New("no such entry or fact")
