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
)

// convert asks git for the ids of pending files, which its conversions and
// filters turn into something else on the way to a blob. Each is given to put,
// or to problem.
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

// cleanEach is cleanIDs for as many of the paths as git can convert. One that
// fails makes git give up on all, so they are halved until it stands alone.
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

// cleanIDs asks git for the blob ids that the files at paths would have after
// its conversions and filters.
func (w *WorkTree) cleanIDs(ctx context.Context, paths []string) (map[string]string, error) {
	ids := make(map[string]string, len(paths))
	asIs, err := w.keepsLineEnds(ctx, paths)
	if err != nil {
		return nil, err
	}
	var convert, keep []string
	for _, p := range paths {
		if asIs[p] {
			keep = append(keep, p)
		} else {
			convert = append(convert, p)
		}
	}
	if err := w.hashObjects(ctx, convert, ids); err != nil {
		return nil, err
	}
	return ids, w.hashObjects(ctx, keep, ids, "--no-filters")
}

// hashObjects puts what git hash-object says of each path into ids.
func (w *WorkTree) hashObjects(ctx context.Context, paths []string, ids map[string]string, options ...string) error {
	var batch []string
	for _, p := range paths {
		if strings.ContainsAny(p, "\n\r\"") {
			out, err := w.Git(ctx, nil, append(append([]string{"hash-object"}, options...), "--", p)...)
			if err != nil {
				return err
			}
			ids[p] = strings.TrimSpace(string(out))
			continue
		}
		batch = append(batch, p)
	}
	if len(batch) == 0 {
		return nil
	}
	args := append(append([]string{"hash-object"}, options...), "--stdin-paths")
	out, err := w.Git(ctx, strings.NewReader(strings.Join(batch, "\n")+"\n"), args...)
	if err != nil {
		return err
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(batch) {
		return fmt.Errorf("git hash-object: %d ids for %d files", len(lines), len(batch))
	}
	for i, p := range batch {
		ids[p] = lines[i]
	}
	return nil
}

// maxArgs is how many bytes of paths go into one command; Windows takes 32 KB
// in all.
const maxArgs = 16 << 10

// keepsLineEnds finds the files whose line ends git leaves alone though they
// are to be normalised: where text=auto or core.autocrlf has to guess, and
// what the index holds has CRLF already (gitattributes(5)). git hash-object
// does not look at the index.
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

// parseEOL reads "i/INDEX w/DISK attr/ATTRIBUTES\tPATH" and says whether the
// index has CRLF and the attributes leave git to guess.
func parseEOL(record string) (string, bool) {
	head, path, _ := strings.Cut(record, "\t")
	index, rest, _ := strings.Cut(head, " ")
	_, attr, _ := strings.Cut(rest, "attr/")
	guess, _, _ := strings.Cut(strings.TrimSpace(attr), " ")
	return path, (index == "i/crlf" || index == "i/mixed") && (guess == "" || guess == "text=auto")
}
