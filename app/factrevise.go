package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// revise puts f in place of old, wherever that stands as it was read, in one
// guarded change. left are the places where other facts have its id. A fact
// that says something else by now was edited by hand, and that counts.
func (s *site) revise(ctx context.Context, old, f memory.Fact) (places, left []string, err error) {
	var r revision
	err = s.store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if r = revising(files, old, f); len(r.edits) == 0 {
			return c, r.conflict()
		}
		return writeback.Change{Verb: "memory edit", Title: memory.Title(f.Text), Edits: r.edits}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return r.places, r.left, nil
}

// revision is a plan to change one fact.
type revision struct {
	edits        []memory.FileEdit
	places, left []string // where the fact, and others with its id, stand
}

// revising plans it.
func revising(files map[string][]byte, old, f memory.Fact) revision {
	var r revision
	for _, name := range slices.Sorted(maps.Keys(files)) {
		found := false
		var after []byte
		for _, b := range markdown.Parse(files[name]).Blocks {
			after = append(after, b.Revise(func(i int) (markdown.Revision, memory.Fact) {
				at := b.Facts[i]
				place := fmt.Sprintf("memory/%s:%d", name, at.StartLine)
				switch {
				case at.ID != old.ID:
					return markdown.Stays, at.Fact
				case !reflect.DeepEqual(at.Fact, old):
					r.left = append(r.left, place)
					return markdown.Stays, at.Fact
				}
				found, r.places = true, append(r.places, place)
				return markdown.Changes, f
			})...)
		}
		if found {
			r.edits = append(r.edits, memory.FileEdit{File: name, Before: files[name], After: after})
		}
	}
	return r
}

// conflict says why nothing of the plan can be done.
func (r revision) conflict() error {
	if len(r.left) == 0 {
		return errors.New("it was taken out of memory meanwhile")
	}
	return fmt.Errorf("it was edited by hand meanwhile, in %s", r.left[0])
}
