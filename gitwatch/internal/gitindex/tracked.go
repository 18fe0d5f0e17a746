package gitindex

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/safefile"
)

// Tracked is Repo.Tracked of package gitwatch. It reads the index only up to the folder. A name
// that begins with a dot is at the very beginning.
func Tracked(ctx context.Context, p *repo.Place, folder string) (ids map[string]string, err error) {
	f, err := safefile.Open(filepath.Join(p.GitDir, "index"), safefile.AnyLink)
	if safefile.IsAbsent(err) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		ids, err = trackedInFile(ctx, p, f, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	return ids, nil
}

func trackedInFile(ctx context.Context, p *repo.Place, f *os.File, folder string) (ids map[string]string, err error) {
	split := splitsIndex(p)
	for size, done := int64(trackedStep), false; !done; size *= 4 {
		if size > maxIndex || split {
			size = maxIndex
		}
		head, err := io.ReadAll(io.NewSectionReader(f, 0, size))
		if err == nil && split {
			var x *Index
			if x, err = fullIndex(ctx, p, head); err == nil {
				head = x.raw
			}
		}
		if err == nil {
			ids, done, err = trackedIn(head, p.IDs, folder)
		}
		if err == nil && !done && (int64(len(head)) < size || size == maxIndex) {
			err = errIndexFile
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// trackedStep limits the first read of an index, in bytes.
const trackedStep = 64 << 10

// trackedIn is Tracked for the beginning of an index. done is false if that did not reach far
// enough.
func trackedIn(head []byte, algorithm git.Algorithm, folder string) (ids map[string]string, done bool, err error) {
	p, err := newIndexParser(head, algorithm)
	if err != nil {
		return nil, false, err
	}
	last := folder + "0" // sorts after everything below it
	if folder != strings.ToLower(folder) {
		last = "" // another spelling may come later
	}
	ids = map[string]string{}
	for range binary.BigEndian.Uint32(head[8:]) {
		var e Entry
		if !p.entry(&e) {
			return nil, false, nil
		}
		if last != "" && e.Name > last {
			break
		}
		if isBelow(e.Name, folder) {
			ids[strings.Clone(e.Name)] = e.ID().String()
		}
	}
	return ids, true, nil
}

func isBelow(name, folder string) bool {
	if len(name) < len(folder) || !strings.EqualFold(name[:len(folder)], folder) {
		return false
	}
	return len(name) == len(folder) || name[len(folder)] == '/'
}

// splitsIndex reports whether the index may be kept in several files.
func splitsIndex(p *repo.Place) bool {
	names, err := os.ReadDir(p.GitDir)
	return err != nil || slices.ContainsFunc(names, func(n os.DirEntry) bool { return strings.HasPrefix(n.Name(), "sharedindex.") })
}
