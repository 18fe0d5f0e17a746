package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// Read reads commits by their full ids, in the order of the ids, each
// with its changes and line counts. Of a merge only what it resolved itself
// counts: the paths that differ from all of its parents. Ids that are not
// there are left out. It asks the git program; see History.
func Read(ctx context.Context, dir string, ids []string) ([]Commit, error) {
	if len(ids) == 0 {
		return nil, nil // git would begin at HEAD
	}
	commits, err := readAll(ctx, dir, ids)
	if err != nil {
		return nil, fmt.Errorf("reading commits of %s: %w", dir, err)
	}
	return commits, nil
}

// named make git log read the commits that stand on its standard input.
var named = []string{"--ignore-missing", "--no-walk=unsorted", "--stdin", "--raw"}

func readAll(ctx context.Context, dir string, ids []string) ([]Commit, error) {
	plain := append(slices.Clone(named), "--numstat")
	if partial(ctx, dir) {
		plain = append(slices.Clone(named), "--find-renames=100%") // the contents may be elsewhere
	}
	byID := make(map[string]Commit, len(ids))
	var merges []string
	rooted := false
	// From the newest to the oldest git finds what it has just unpacked.
	backwards := slices.Clone(ids)
	slices.Reverse(backwards)
	err := Log(ctx, dir, backwards, plain, func(c Commit) bool {
		byID[c.ID] = c
		switch len(c.Parents) {
		case 0:
			rooted = true
		case 1:
		default:
			merges = append(merges, c.ID)
		}
		return true
	})
	if err == nil && len(merges) > 0 {
		err = Log(ctx, dir, merges, append(slices.Clone(named), "--diff-merges=combined"), func(c Commit) bool {
			byID[c.ID] = c
			return true
		})
	}
	if err == nil && rooted {
		err = cutOff(ctx, dir, byID)
	}
	out := make([]Commit, 0, len(byID))
	for _, id := range ids {
		if c, ok := byID[id]; ok {
			out = append(out, c)
			delete(byID, id)
		}
	}
	return out, err
}

// maxShallow bounds the list of such commits, in bytes.
const maxShallow = 16 << 20

// cutOff marks the commits where a shallow history ends: git shows them as if
// they had made every file.
func cutOff(ctx context.Context, dir string, commits map[string]Commit) error {
	file, err := git.Text(ctx, dir, "rev-parse", "--path-format=absolute", "--git-path", "shallow")
	if err != nil {
		return err
	}
	list, err := repofile.Read(file, repofile.AnyLink, maxShallow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for id := range strings.Lines(string(list)) {
		id = strings.TrimSpace(id)
		if c, ok := commits[id]; ok {
			c.Files, c.Unread = nil, "the history of this clone begins here"
			commits[id] = c
		}
	}
	return err
}

// partial says whether contents of the repository may have been left with a
// promisor remote.
func partial(ctx context.Context, dir string) bool {
	out, err := git.Text(ctx, dir, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	return err == nil && out != ""
}
