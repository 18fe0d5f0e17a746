package exchange

import (
	"context"
	"maps"
	"slices"

	"agentflow/internal/share"
	"agentflow/memory"
)

// forgets collects the ids that a folder held, or listed as forgotten, and no longer holds.
type forgets struct {
	ids    map[string]bool // of entries, facts and whole files
	purged map[string]bool
}

func newForgets(ids, purged []string) *forgets {
	f := &forgets{map[string]bool{}, map[string]bool{}}
	f.note(ids, purged)
	return f
}

func (f *forgets) note(ids, purged []string) {
	for _, id := range ids {
		f.ids[id] = true
	}
	for _, id := range purged {
		f.purged[id] = true
	}
}

// read adds the ids that the folder listed before.
func (f *forgets) read(list []byte) {
	purged := share.ReadPurged(list)
	f.note(append(share.ReadForgotten(list), purged...), purged)
}

// left adds the ids of a file that the folder held.
func (f *forgets) left(name string, text []byte) {
	f.note(append(share.IDs(text), memory.WholeFile(name)), nil)
}

// holds removes the ids of a file that the folder holds now.
func (f *forgets) holds(name string, text []byte) {
	for _, id := range append(share.IDs(text), memory.WholeFile(name)) {
		delete(f.ids, id)
	}
}

// list returns the folder's new list of forgotten ids.
func (f *forgets) list() []byte {
	maps.DeleteFunc(f.purged, func(id string, _ bool) bool { return !f.ids[id] })
	maps.DeleteFunc(f.ids, func(id string, _ bool) bool { return !memory.IsID(id) })
	return share.Forgotten(slices.Collect(maps.Keys(f.ids)), slices.Collect(maps.Keys(f.purged)))
}

// forgotten adds to the folder the list of the ids that it held, or listed as forgotten, and
// no longer holds. In the user's own memory it also lists the ids that are hidden here.
// Withdrawn items are not forgotten.
func (c *Clone) forgotten(ctx context.Context, o *own, before *share.Manifest, tree string, by Options) error {
	f := newForgets(nil, by.Purged)
	if c.Whose == share.Own {
		f.note(c.Hidden, nil)
	}
	if before == nil {
		before = &share.Manifest{}
	}
	gone := slices.DeleteFunc(slices.Clone(before.Files), func(f share.File) bool { return slices.Contains(o.files, f) })
	texts, err := c.reader().texts(ctx, tree, gone)
	if err != nil {
		return err
	}
	for name, text := range texts {
		if name == share.ForgottenFile {
			f.read(text)
		} else if !by.Withdraw {
			f.left(name, text)
		}
	}
	kept, err := c.reader().texts(ctx, tree, slices.DeleteFunc(slices.Clone(o.files), func(f share.File) bool { return o.changed[f.Name] != nil }))
	if err != nil {
		return err
	}
	for _, list := range []map[string][]byte{o.changed, kept} {
		for name, text := range list {
			f.holds(name, text)
		}
	}
	for _, id := range c.Back {
		delete(f.ids, id)
	}
	list := f.list()
	if len(list)+len(o.files) > 0 {
		list = share.Declaring(list)
	}
	if len(list) > 0 {
		o.put(share.ForgottenFile, list, before.Files)
	}
	return nil
}
