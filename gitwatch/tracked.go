package gitwatch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// Tracked lists what git tracks at a folder of the work tree and below it, as
// path and id of the contents that the index holds. A path that is the folder
// itself, or a repository in it, is a link or a submodule. Letter case does
// not count: on some file systems another spelling is the same folder.
//
// It reads no more of the index than up to the folder, which stands at its
// very beginning where the name begins with a dot.
func (r *Repo) Tracked(ctx context.Context, folder string) (ids map[string]string, err error) {
	defer git.Caught(&err)
	if r.shape.sha256 || r.splitsIndex() {
		return r.gitTracked(ctx, folder)
	}
	f, err := repofile.Open(filepath.Join(r.gitDir, "index"), repofile.AnyLink)
	if repofile.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	for size := min(info.Size(), trackedStep); ; size = min(info.Size(), 4*size) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		head, err := io.ReadAll(io.NewSectionReader(f, 0, min(size, maxIndex)))
		if err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		ids, done, err := trackedIn(head, folder)
		if err == nil && !done && size >= min(info.Size(), maxIndex) {
			err = errIndexFile
		}
		if err != nil || done {
			return ids, err
		}
	}
}

// trackedStep is how much of an index is looked at first, in bytes.
const trackedStep = 64 << 10

// trackedIn is Tracked in the beginning of an index; done is false where it
// did not reach far enough.
func trackedIn(head []byte, folder string) (ids map[string]string, done bool, err error) {
	if len(head) < indexHeader || string(head[:len(indexMagic)]) != indexMagic {
		return nil, false, errIndexFile
	}
	p := indexParser{raw: head, end: len(head), at: indexHeader, version: binary.BigEndian.Uint32(head[4:])}
	if p.version < 2 || p.version > 4 {
		return nil, false, fmt.Errorf("index version %d is not known", p.version)
	}
	last := folder + "0" // what sorts behind all that is below it
	if folder != strings.ToLower(folder) {
		last = "" // another spelling may stand behind
	}
	ids = map[string]string{}
	for range binary.BigEndian.Uint32(head[8:]) {
		var e indexEntry
		if !p.entry(&e) {
			return nil, false, nil
		}
		if last != "" && e.name > last {
			break
		}
		if isBelow(e.name, folder) {
			ids[strings.Clone(e.name)] = e.id().String()
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

// splitsIndex says whether the index may be kept in several files.
func (r *Repo) splitsIndex() bool {
	names, err := os.ReadDir(r.gitDir)
	for _, n := range names {
		if strings.HasPrefix(n.Name(), "sharedindex.") {
			return true
		}
	}
	return err != nil
}

// gitTracked is Tracked by the git program.
func (r *Repo) gitTracked(ctx context.Context, folder string) (map[string]string, error) {
	out, err := r.git(ctx, nil, "ls-files", "-z", "--stage", "--", ":(icase,literal)"+folder)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, line := range splitZ(out) {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 {
			return nil, errors.New("git ls-files answered " + git.OneLine(line))
		}
		ids[name] = fields[1]
	}
	return ids, nil
}
