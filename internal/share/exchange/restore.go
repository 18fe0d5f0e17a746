package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/internal/share"
	"agentflow/memory/markdown"
)

// marker is a file in a memory that is shared. If it is missing, the whole folder was lost, for
// example by 'git clean -fdx', and the exchange restores the missing text. If it exists,
// missing text was removed on purpose.
const marker = ".shared"

func (c *Clone) mark() error {
	if err := os.MkdirAll(c.Memory, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(c.Memory, marker), nil, 0o600)
}

// isLost reports whether the memory is not the one that was shared.
func (c *Clone) isLost() bool {
	_, err := os.Lstat(filepath.Join(c.Memory, marker))
	return errors.Is(err, fs.ErrNotExist)
}

// takeBack updates the memory from this clone's folder, if the memory was lost or another
// process wrote the folder since the last exchange. It reports whether the memory may have
// changed.
func (c *Clone) takeBack(ctx context.Context, r *Report, u *union, st *state, pushed string) (changed bool, err error) {
	k, before := u.accepted[r.ID], st.Accepted[r.ID]
	switch {
	case u.own != nil && c.Adopt != nil && (c.isLost() || k.Sequence > before.Sequence):
		files, err := c.reader().texts(ctx, k.Tree, u.own.Files)
		delete(files, share.ForgottenFile)
		if err == nil {
			err = c.Adopt(ctx, files, k.Purged > before.Sequence)
		}
		if err != nil {
			return false, fmt.Errorf("taking over what another process wrote: %w", err)
		}
		r.Adopted = true
		return true, nil
	case u.own != nil && len(u.own.Files) > 0 && c.isLost():
		if r.Restored, err = c.restore(ctx, k.Tree, u.own); err != nil {
			return false, fmt.Errorf("restoring memory: %w", err)
		}
		return true, nil
	case c.Join != nil:
		return c.join(ctx, r, u, st, pushed)
	}
	return false, nil
}

// restore adds the text of this clone's folder that the memory lacks, except forgotten items.
// It returns the names of the changed files.
func (c *Clone) restore(ctx context.Context, tree string, m *share.Manifest) (names []string, err error) {
	texts, err := c.reader().texts(ctx, tree, m.Files)
	if err != nil {
		return nil, err
	}
	gone, err := c.gone(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		path := filepath.Join(c.Memory, filepath.FromSlash(name))
		old, err := os.ReadFile(path)
		if name == share.ForgottenFile || err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		text := missing(old, texts[name], err == nil, gone)
		if len(text) == 0 {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return names, err
		}
		if err := atomicfile.Write(path, append(old, text...), 0o600); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// missing returns the shared text that a file lacks, except items that are gone. Without a file
// it returns all of that text.
func missing(old, shared []byte, there bool, gone func(id string) bool) []byte {
	if rest, ok := markdown.Parse(shared).RemoveAll(gone); ok {
		shared = rest
	}
	if !there {
		return shared
	}
	has := markdown.Parse(old)
	var b bytes.Buffer
	for _, block := range markdown.Parse(shared).Blocks {
		if e := block.Entry; e != nil {
			if !has.Owns(e.ID) {
				b.Write(block.Raw)
			}
			continue
		}
		for _, f := range block.Facts {
			if !has.Owns(f.ID) {
				b.Write(f.Raw)
			}
		}
	}
	if b.Len() > 0 && len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		return append([]byte("\n"), b.Bytes()...)
	}
	return b.Bytes()
}
