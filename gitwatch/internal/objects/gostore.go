package objects

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/packs"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/safefile"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// goStore reads references through go-git. For objects, go-git would read whole indexes of packs,
// so goStore reads those in place.
type goStore struct {
	storage *filesystem.Storage
	packs   *packs.Store
}

// openGo opens the object and reference store again.
func openGo(p *repo.Place) *goStore {
	var fs billy.Filesystem = osfs.New(p.GitDir)
	if p.CommonDir != p.GitDir {
		fs = dotgit.NewRepositoryFilesystem(fs, osfs.New(p.CommonDir))
	}
	storage := filesystem.NewStorage(gitFiles{fs}, cache.NewObjectLRUDefault())
	return &goStore{storage, packs.Open(filepath.Join(p.CommonDir, "objects"))}
}

func (s *goStore) Head() (string, git.ID, error) {
	head, err := s.storage.Reference(plumbing.HEAD)
	if err != nil {
		return "", "", err
	}
	if head.Type() == plumbing.HashReference {
		return "", fromHash(head.Hash()), nil
	}
	name := head.Target()
	for range 5 { // symbolic refs may be chained, as deep as git follows them
		target, err := s.storage.Reference(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return head.Target().String(), "", nil
		}
		if err != nil {
			return "", "", err
		}
		if target.Type() == plumbing.HashReference {
			return head.Target().String(), fromHash(target.Hash()), nil
		}
		name = target.Target()
	}
	return "", "", fmt.Errorf("%s: too many symbolic references", name)
}

func (s *goStore) Refs() ([]Ref, error) {
	var refs []Ref
	iter, err := s.storage.IterReferences()
	if err == nil {
		err = iter.ForEach(func(r *plumbing.Reference) error {
			if r.Type() == plumbing.HashReference && r.Name() != plumbing.HEAD {
				refs = append(refs, Ref{git.Name(r.Name()), r.Hash().String()})
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	sort.Slice(refs, func(i, j int) bool { return refs[i].Name < refs[j].Name })
	return refs, nil
}

func (s *goStore) Shallow() ([]git.ID, error) {
	hashes, err := s.storage.Shallow()
	var ids []git.ID
	for _, h := range hashes {
		ids = append(ids, fromHash(h))
	}
	return ids, err
}

func (s *goStore) object(id git.ID, limit int64) (string, []byte, error) {
	kind, raw, err := s.packs.Object(packs.ID([]byte(id)), limit)
	switch {
	case errors.Is(err, packs.ErrMissing):
		err = errMissing
	case errors.Is(err, packs.ErrTooLarge):
		err = git.ErrTooLarge
	}
	return kind, raw, err
}

func (s *goStore) Close() { s.packs.Close() }

func fromHash(h plumbing.Hash) git.ID {
	if h.IsZero() {
		return ""
	}
	return git.ID(h[:])
}

// gitFiles is the part of a git directory that go-git may see.
//
// It hides the lock files of a running git: go-git takes every file below refs for a reference, and
// a lock is empty before it is written. No reference's name may end like that
// (git-check-ref-format(1)). It opens only regular files, because go-git would wait for a named
// pipe forever, and no reference that is far larger than any real one.
type gitFiles struct{ billy.Filesystem }

// maxRef bounds HEAD and the files below refs, in bytes.
const maxRef = 64 << 10

func (g gitFiles) ReadDir(path string) ([]fs.FileInfo, error) {
	files, err := g.Filesystem.ReadDir(path)
	return slices.DeleteFunc(files, func(f fs.FileInfo) bool { return strings.HasSuffix(f.Name(), ".lock") }), err
}

func (g gitFiles) Open(name string) (billy.File, error) {
	info, err := g.Filesystem.Stat(name)
	if err != nil {
		return nil, err
	}
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: %w", name, safefile.ErrNotRegular)
	case info.Size() > maxRef && (slashed == "HEAD" || strings.HasPrefix(slashed, "refs/")):
		return nil, fmt.Errorf("open %s: %w", name, safefile.ErrTooLarge)
	}
	return g.Filesystem.Open(name)
}
