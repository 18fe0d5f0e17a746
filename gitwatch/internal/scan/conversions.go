package scan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory"
)

// convert asks git for the blob ids of pending files, which its conversions and filters change. It
// passes each to put, or to problem.
func (w *WorkTree) convert(ctx context.Context, pending map[string]objects.DirtyFile, put func(objects.DirtyFile), problem func(string, error)) {
	w.cleanEach(ctx, slices.Sorted(maps.Keys(pending)), func(path, id string, err error) {
		d := pending[path]
		switch {
		case err != nil && w.Gone(path):
			d.Now = objects.File{}
		case err != nil:
			problem(path, fmt.Errorf("it is converted by git: %w", err))
			return
		default:
			d.Now.Hash = id
			if id == d.Now.Raw && !d.Now.Filtered {
				d.Now.Raw = ""
			}
		}
		put(d)
	})
}

func (w *WorkTree) Gone(path string) bool {
	_, err := os.Lstat(w.Full(path))
	return errors.Is(err, os.ErrNotExist)
}

// cleanEach is cleanIDs for as many of the paths as git can convert. If one path fails, git gives
// up on all, so cleanEach halves the paths until the failing one is by itself.
func (w *WorkTree) cleanEach(ctx context.Context, paths []string, tell func(path, id string, err error)) {
	if len(paths) == 0 {
		return
	}
	ids, err := w.cleanIDs(ctx, paths)
	if err != nil && len(paths) > 1 && ctx.Err() == nil {
		half := len(paths) / 2
		w.cleanEach(ctx, paths[:half], tell)
		w.cleanEach(ctx, paths[half:], tell)
		return
	}
	for _, p := range paths {
		tell(p, ids[p], err)
	}
}

// cleanIDs asks git for the blob ids that the files at paths would have after its conversions and
// filters.
func (w *WorkTree) cleanIDs(ctx context.Context, paths []string) (map[string]string, error) {
	ids := make(map[string]string, len(paths))
	asIs, err := w.keepsLineEnds(ctx, paths)
	if err != nil {
		return nil, err
	}
	convert := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return asIs[p] })
	if err := w.hashObjects(ctx, convert, ids); err != nil {
		return nil, err
	}
	keep := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !asIs[p] })
	return ids, w.hashObjects(ctx, keep, ids, "--no-filters")
}

// hashObjects asks git hash-object for the id of each path and puts it into ids.
func (w *WorkTree) hashObjects(ctx context.Context, paths []string, ids map[string]string, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = memory.QuotePath(p)
	}
	out, err := w.Git(ctx, strings.NewReader(git.Lines(quoted)), append([]string{"hash-object", "--stdin-paths"}, options...)...)
	if err != nil {
		return err
	}
	found := strings.Fields(string(out))
	if len(found) != len(paths) {
		return fmt.Errorf("git hash-object: %d ids for %d files", len(found), len(paths))
	}
	for i, p := range paths {
		ids[p] = found[i]
	}
	return nil
}

// maxArgs limits the bytes of paths in one command. Windows accepts 32 KB in all.
const maxArgs = 16 << 10

// keepsLineEnds finds the files whose line ends git does not convert although its settings
// normalise them: text=auto or core.autocrlf has to guess, and the contents in the index already
// have CRLF (gitattributes(5)). git hash-object does not look at the index.
func (w *WorkTree) keepsLineEnds(ctx context.Context, paths []string) (map[string]bool, error) {
	kept := map[string]bool{}
	for len(paths) > 0 {
		n, size := 0, 0
		for n < len(paths) && (n == 0 || size+len(paths[n]) < maxArgs) {
			size += len(paths[n]) + 1
			n++
		}
		args := append([]string{"--literal-pathspecs", "ls-files", "--eol", "-z", "--"}, paths[:n]...)
		out, err := w.Git(ctx, nil, args...)
		if err != nil {
			return nil, err
		}
		for _, record := range git.SplitZ(string(out)) {
			if path, ok := parseEOL(record); ok {
				kept[path] = true
			}
		}
		paths = paths[n:]
	}
	return kept, nil
}

// parseEOL reads "i/INDEX w/DISK attr/ATTRIBUTES\tPATH" and reports whether the index has CRLF and
// the attributes leave git to guess.
func parseEOL(record string) (string, bool) {
	head, path, _ := strings.Cut(record, "\t")
	index, rest, _ := strings.Cut(head, " ")
	_, attr, _ := strings.Cut(rest, "attr/")
	guess, _, _ := strings.Cut(strings.TrimSpace(attr), " ")
	return path, (index == "i/crlf" || index == "i/mixed") && (guess == "" || guess == "text=auto")
}
