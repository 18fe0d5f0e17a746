package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// ref is one reference and the object it names. Annotated tags name the tag.
type ref struct {
	Name rawName `json:"name"`
	ID   string  `json:"id"`
}

const branchPrefix = "refs/heads/"

// Head returns the short name of the branch that is checked out, empty when
// detached, and the full id of its commit, empty when there is none yet.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	name, id, err := readHead(r.store())
	if err != nil {
		return "", "", fmt.Errorf("read HEAD of %s: %w", r.asked, err)
	}
	return shortBranch(name), hexOrEmpty(id), nil
}

func shortBranch(name string) string { return strings.TrimPrefix(name, branchPrefix) }

func hexOrEmpty(id plumbing.Hash) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// readHead returns the branch HEAD points to, empty when detached, and its
// commit, zero when unborn.
func readHead(store *filesystem.Storage) (string, plumbing.Hash, error) {
	head, err := store.Reference(plumbing.HEAD)
	if err != nil {
		return "", plumbing.ZeroHash, err
	}
	if head.Type() == plumbing.HashReference {
		return "", head.Hash(), nil
	}
	name := head.Target()
	for range 5 { // symbolic refs may be chained, as deep as git follows them
		target, err := store.Reference(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return head.Target().String(), plumbing.ZeroHash, nil
		}
		if err != nil {
			return "", plumbing.ZeroHash, err
		}
		if target.Type() == plumbing.HashReference {
			return head.Target().String(), target.Hash(), nil
		}
		name = target.Target()
	}
	return "", plumbing.ZeroHash, fmt.Errorf("%s: too many symbolic references", name)
}

// readRefs lists all references but HEAD and symbolic ones, by name.
func readRefs(store *filesystem.Storage) ([]ref, error) {
	iter, err := store.IterReferences()
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	var refs []ref
	err = iter.ForEach(func(r *plumbing.Reference) error {
		if r.Type() == plumbing.HashReference && r.Name() != plumbing.HEAD {
			refs = append(refs, ref{rawName(r.Name()), r.Hash().String()})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	sort.Slice(refs, func(i, j int) bool { return refs[i].Name < refs[j].Name })
	return refs, nil
}
