package exchange

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/ctime"
	"agentflow/internal/repofile"
	"agentflow/share"
)

// fresh is how long after a change a listing is not trusted: see index/sources.
const fresh = 2 * time.Second

// listed is a file of the memory.
type listed struct {
	path    string
	listing string // changes with the contents; empty: too fresh to tell
}

// listMemory lists the Markdown of the memory, by name.
func (c *Clone) listMemory(now time.Time) (map[string]listed, error) {
	files := map[string]listed{}
	err := filepath.WalkDir(c.Memory, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == c.Memory && errors.Is(err, fs.ErrNotExist) {
				return fs.SkipAll
			}
			return err
		}
		rel, err := filepath.Rel(c.Memory, path)
		name := filepath.ToSlash(rel)
		if err != nil || d.IsDir() || !d.Type().IsRegular() || !share.IsFile(name) || !strings.HasSuffix(name, ".md") || c.Leaves != nil && !c.Leaves(name) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := listed{path: path}
		changed, known := ctime.Of(info)
		if now.Sub(info.ModTime()) > fresh && (!known || now.Sub(changed) > fresh) {
			f.listing = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), inodeOf(info))
		}
		files[name] = f
		return nil
	})
	return files, err
}

// digest is of all listings; empty when one is too fresh.
func digest(files map[string]listed) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name].listing == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %s\n", name, files[name].listing)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// own is what this clone shares of its memory now.
type own struct {
	files   []share.File      // sorted by name
	changed map[string][]byte // those that are not as in the folder before, with contents
	cache   map[string]projected
}

// project makes what is shared of the memory. before is the manifest of the folder as it
// stands at the tip.
func (c *Clone) project(files map[string]listed, st *state, before *share.Manifest) (o own, err error) {
	o = own{changed: map[string][]byte{}, cache: map[string]projected{}}
	standing := map[string]share.File{}
	if before != nil {
		for _, f := range before.Files {
			standing[f.Name] = f
		}
	}
	for name, at := range files {
		if was := st.Files[name]; st.Rules == c.Rules && at.listing != "" && was.Listing == at.listing {
			there, ok := standing[name]
			if was.Size == 0 || ok && there.Size == was.Size && bytes.Equal(there.Sum[:], was.Sum) {
				o.cache[name] = was
				if was.Size > 0 {
					o.files = append(o.files, there)
				}
				continue
			}
		}
		src, err := repofile.Read(at.path, repofile.NoLink, share.MaxFolder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return o, fmt.Errorf("reading %s: %w", name, err)
		}
		o.take(name, at.listing, []byte(c.Clean(string(share.Project(name, src, c.What, c.Whose)))), standing)
	}
	return o, nil
}

// take takes in what is shared of a file.
func (o *own) take(name, listing string, text []byte, standing map[string]share.File) {
	p := projected{Listing: listing}
	if len(text) > 0 {
		f := share.FileOf(name, text)
		p.Sum, p.Size = f.Sum[:], f.Size
		o.files = append(o.files, f)
		if standing[name] != f {
			o.changed[name] = text
		}
	}
	o.cache[name] = p
}

// forgotten are the ids that the folder held, or had forgotten, and that are not there any
// more; of the user's own memory those too that were hidden here.
func (c *Clone) forgotten(ctx context.Context, o *own, before *share.Manifest, tree string) error {
	ids := map[string]bool{}
	if c.Whose == share.Own {
		for _, id := range c.Hidden {
			ids[id] = true
		}
	}
	if before == nil {
		before = &share.Manifest{}
	}
	gone := slices.DeleteFunc(slices.Clone(before.Files), func(f share.File) bool { return slices.Contains(o.files, f) })
	texts, err := c.texts(ctx, tree, gone)
	if err != nil {
		return err
	}
	for name, text := range texts {
		list := share.IDs(text)
		if name == share.ForgottenFile {
			list = share.ReadForgotten(text)
		}
		for _, id := range list {
			ids[id] = true
		}
	}
	kept, err := c.texts(ctx, tree, slices.DeleteFunc(slices.Clone(o.files), func(f share.File) bool { return o.changed[f.Name] != nil }))
	if err != nil {
		return err
	}
	for _, list := range []map[string][]byte{o.changed, kept} {
		for _, text := range list {
			for _, id := range share.IDs(text) {
				delete(ids, id)
			}
		}
	}
	for _, id := range c.Back {
		delete(ids, id)
	}
	if text := share.Forgotten(slices.Collect(maps.Keys(ids))); len(text) > 0 {
		f := share.FileOf(share.ForgottenFile, text)
		o.files = append(o.files, f)
		if !slices.Contains(before.Files, f) {
			o.changed[f.Name] = text
		}
	}
	return nil
}

// texts reads files of a folder.
func (c *Clone) texts(ctx context.Context, tree string, files []share.File) (map[string][]byte, error) {
	found := map[string][]byte{}
	if len(files) == 0 {
		return found, nil
	}
	items, err := c.Repo.List(ctx, tree, true)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	var ids []string
	for _, i := range items {
		if slices.ContainsFunc(files, func(f share.File) bool { return f.Name == i.Name }) {
			names[i.ID] = append(names[i.ID], i.Name)
			ids = append(ids, i.ID)
		}
	}
	return found, c.Repo.Blobs(ctx, ids, func(id string, data []byte) error {
		for _, name := range names[id] {
			found[name] = data
		}
		return nil
	})
}

// manifest signs what is shared.
func (c *Clone) manifest(ctx context.Context, o own, key ed25519.PrivateKey, sequence, purged uint64, now time.Time) []byte {
	slices.SortFunc(o.files, func(a, b share.File) int { return strings.Compare(a.Name, b.Name) })
	m := share.Manifest{Key: key.Public().(ed25519.PublicKey), Author: share.AuthorName(c.Author(ctx)), Sequence: sequence, Purged: purged, Time: now, What: c.What, Files: o.files}
	return m.Sign(key)
}
