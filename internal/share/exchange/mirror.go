package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/atomicfile"
	"agentflow/internal/share"
)

// Shared is a mirrored clone.
type Shared struct {
	ID     share.CloneID `json:"id"`
	Author string        `json:"author"`
	Time   time.Time     `json:"time"`             // of the clone's last change, by its clock
	Tree   string        `json:"tree"`             // of the clone's folder
	Hidden string        `json:"hidden,omitempty"` // digest of the ids that were left out; empty: none
}

// MirroredForgotten returns the ids that a clone has forgotten, from a mirror of the user's
// memory.
func MirroredForgotten(mirror string, id share.CloneID) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(mirror, folder, string(id), share.ForgottenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return share.ReadForgotten(data), err
}

// AuthorsFile is the name of the list of Shared in a mirror.
const AuthorsFile = "authors.json"

// ReadAuthors lists the clones of a mirror.
func ReadAuthors(mirror string) (list []Shared, err error) {
	data, err := os.ReadFile(filepath.Join(mirror, AuthorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// mirror is the copy of the other clones' folders.
type mirror struct {
	dir    string // see Clone.Mirror
	repo   memref.Repo
	whose  share.Whose
	hidden []string // see Clone.Hidden
}

func (c *Clone) mirror() mirror { return mirror{c.Mirror, c.Repo, c.Whose, c.Hidden} }

// reflect updates the mirror to the accepted folders of other clones. It does not touch a
// folder that is up to date. A folder that cannot be written stays unchanged and is reported in
// failed, and the other folders are written all the same.
func (m mirror) reflect(ctx context.Context, accepted map[share.CloneID]known, id share.CloneID) (failed map[share.CloneID]error, err error) {
	before, err := ReadAuthors(m.dir)
	if err != nil {
		before = nil // treat it as missing
	}
	there := map[share.CloneID]Shared{}
	failed = map[share.CloneID]error{}
	for _, s := range before {
		if info, err := os.Stat(m.folder(s.ID)); err == nil && info.IsDir() {
			there[s.ID] = s
		}
	}
	var list []Shared
	hidden := m.hiddenDigest()
	changed := len(before) != len(accepted)-1
	for _, who := range sorted(accepted) {
		k := accepted[who]
		if who == id {
			continue
		}
		if there[who].Tree != k.Tree || there[who].Hidden != hidden {
			changed = true
			if err := m.write(ctx, who, k.Tree); err == nil {
				there[who] = Shared{who, k.Author, k.Time, k.Tree, hidden}
			} else if failed[who] = err; ctx.Err() != nil {
				return failed, err
			}
		}
		if s, ok := there[who]; ok {
			list = append(list, s)
		}
	}
	for who := range there {
		if _, ok := accepted[who]; !ok || who == id {
			changed = true
			if err := os.RemoveAll(m.folder(who)); err != nil {
				return failed, err
			}
		}
	}
	if !changed || len(list) == 0 && before == nil {
		return failed, nil
	}
	data, err := json.MarshalIndent(list, "", "\t")
	if err == nil {
		err = os.MkdirAll(m.dir, 0o700)
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(m.dir, AuthorsFile), data, 0o600)
	}
	return failed, err
}

func (m mirror) folder(id share.CloneID) string { return filepath.Join(m.dir, folder, string(id)) }

// write writes the Markdown of a folder next to the existing one, and then replaces that. A
// mirror of the user's memory also has the list of forgotten ids.
func (m mirror) write(ctx context.Context, who share.CloneID, tree string) error {
	items, err := m.repo.List(ctx, tree, true)
	if err != nil {
		return err
	}
	made := m.folder(who) + ".new"
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	if err := os.MkdirAll(made, 0o700); err != nil {
		return err
	}
	at := map[string][]memref.Item{}
	var ids []string
	for _, i := range items {
		if filepath.Ext(i.Name) == ".md" || m.whose == share.Own && i.Name == share.ForgottenFile {
			at[i.ID] = append(at[i.ID], i)
			ids = append(ids, i.ID)
		}
	}
	err = m.repo.Blobs(ctx, ids, func(id string, data []byte) error {
		for _, i := range at[id] {
			path := filepath.Join(made, filepath.FromSlash(i.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, m.shown(data), 0o600); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = os.RemoveAll(m.folder(who))
	}
	if err == nil {
		err = os.Rename(made, m.folder(who))
	}
	return err
}
