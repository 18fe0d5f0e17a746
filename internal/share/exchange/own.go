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

	"agentflow/gitwatch/memref"
	"agentflow/internal/ctime"
	"agentflow/internal/safefile"
	"agentflow/internal/share"
)

// fresh is the minimum age of a change for which a listing is trusted: see index/sources.
const fresh = 2 * time.Second

// listed is a file of the memory.
type listed struct {
	path    string
	listing string // changes with the contents; empty: the file is too fresh
}

// listMemory lists the Markdown of a memory that may be shared, by name. leaves is as in Clone.
func listMemory(memory string, leaves func(name string) bool, now time.Time) (map[string]listed, error) {
	files := map[string]listed{}
	err := filepath.WalkDir(memory, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == memory && errors.Is(err, fs.ErrNotExist) {
				return fs.SkipAll
			}
			return err
		}
		rel, err := filepath.Rel(memory, path)
		name := filepath.ToSlash(rel)
		if err != nil || d.IsDir() || !d.Type().IsRegular() || !share.IsFile(name) || !strings.HasSuffix(name, ".md") || leaves != nil && !leaves(name) {
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

// digest returns the hash of all listings, or "" if one is too fresh.
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

// own holds the files that this clone shares now.
type own struct {
	files   []share.File      // sorted by name
	changed map[string][]byte // contents of the files that differ from the folder before
	cache   map[string]projected
}

// project returns the files to share from the memory. before is the manifest of the folder at
// the tip. If a file has the same content as one of joined, project shares the file of joined:
// otherwise two machines that write one folder would replace it in turns.
func (c *Clone) project(files map[string]listed, st *state, layout share.Layout, before *share.Manifest, joined map[string][]byte) (o own, err error) {
	o = own{changed: map[string][]byte{}, cache: map[string]projected{}}
	standing := map[string]share.File{}
	if before != nil {
		for _, f := range before.Files {
			standing[f.Name] = f
		}
	}
	for name, at := range files {
		if was := st.Files[name]; st.Rules == c.Rules && st.Layout == layout && at.listing != "" && was.Listing == at.listing {
			there, ok := standing[name]
			if was.Size == 0 || ok && there.Size == was.Size && bytes.Equal(there.Sum[:], was.Sum) {
				o.cache[name] = was
				if was.Size > 0 {
					o.files = append(o.files, there)
				}
				continue
			}
		}
		src, err := safefile.Read(at.path, safefile.NoLink, share.MaxFolder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return o, fmt.Errorf("reading %s: %w", name, err)
		}
		text := []byte(c.projection().of(name, src, layout))
		if there := joined[name]; there != nil && share.SaysSame(there, text) {
			text = there
		}
		o.take(name, at.listing, text, standing)
	}
	return o, nil
}

// projection makes the part of a file that is shared. Its fields are as in Clone.
type projection struct {
	what  share.What
	whose share.Whose
	clean func(string) string
}

func (c *Clone) projection() projection { return projection{c.What, c.Whose, c.Clean} }

// of returns the shared part of a file, with its entries in a layout.
func (p projection) of(name string, src []byte, layout share.Layout) string {
	return p.clean(string(share.Project(name, src, p.what, p.whose, layout)))
}

// made reports whether a text is the shared part of a file, in either layout.
func (p projection) made(name string, src, text []byte) bool {
	for _, layout := range []share.Layout{share.V1, share.V2} {
		if p.of(name, src, layout) == string(text) {
			return true
		}
	}
	return false
}

// take adds the shared part of a file, which may be empty.
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

// put adds a file to the shared files.
func (o *own) put(name string, text []byte, before []share.File) {
	f := share.FileOf(name, text)
	o.files = append(o.files, f)
	if !slices.Contains(before, f) {
		o.changed[name] = text
	}
}

// removed returns the names of the files that a folder had and no longer has.
func (o *own) removed(before *share.Manifest) (names []string) {
	if before == nil {
		return nil
	}
	for _, f := range before.Files {
		if !slices.ContainsFunc(o.files, func(now share.File) bool { return now.Name == f.Name }) {
			names = append(names, f.Name)
		}
	}
	return names
}

// into adds the changes to a commit.
func (o *own) into(commit *memref.Commit, id share.CloneID, before *share.Manifest, manifest []byte) {
	base := folder + "/" + string(id) + "/"
	for _, name := range o.removed(before) {
		commit.Remove = append(commit.Remove, base+name)
	}
	for name, text := range o.changed {
		commit.Files[base+name] = text
	}
	commit.Files[base+share.ManifestFile] = manifest
}

// manifest returns the signed manifest of the shared files.
func (c *Clone) manifest(ctx context.Context, o own, key ed25519.PrivateKey, sequence, purged uint64, now time.Time) []byte {
	m := share.Manifest{Key: key.Public().(ed25519.PublicKey), Author: share.AuthorName(c.Author(ctx)), Sequence: sequence, Purged: purged, Time: now, What: c.What, Files: o.sorted()}
	return m.Sign(key)
}

func (o *own) sorted() []share.File {
	slices.SortFunc(o.files, func(a, b share.File) int { return strings.Compare(a.Name, b.Name) })
	return o.files
}
