package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// Read reads commits by their full ids, in the order of the ids, each with its changes and
// line counts. Of a merge only the paths that differ from all of its parents count. Ids
// that are not there are left out. Objects that are missing or damaged cost only the
// commits that need them: those are Uncounted, or Unread for NoFiles.
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

func readAll(ctx context.Context, dir string, ids []string) ([]Commit, error) {
	// From the newest to the oldest git finds what it has just unpacked.
	backwards := slices.Clone(ids)
	slices.Reverse(backwards)
	r := reader{ctx: ctx, dir: dir, byID: make(map[string]Commit, len(ids))}
	err := r.read(backwards, plainWays)
	var merges []string
	rooted := false
	for id, c := range r.byID {
		rooted = rooted || len(c.Parents) == 0
		if len(c.Parents) > 1 {
			merges = append(merges, id)
		}
	}
	if err == nil && len(merges) > 0 {
		err = r.read(merges, mergeWays)
	}
	if err == nil && rooted {
		err = markShallow(ctx, dir, r.byID)
	}
	out := make([]Commit, 0, len(r.byID))
	for _, id := range ids {
		if c, ok := r.byID[id]; ok {
			out = append(out, c)
			delete(r.byID, id)
		}
	}
	return out, err
}

const maxShallow = 16 << 20

// markShallow marks the commits where a shallow history ends: git shows them as if
// they had made every file.
func markShallow(ctx context.Context, dir string, commits map[string]Commit) error {
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

// Ref names a commit.
type Ref struct {
	ID   string    // full
	Time time.Time // of the commit, whole seconds
}

// Range says which commits of a history are meant.
type Range struct {
	Rev     string    // where it begins: a branch, a tag or an id; empty: HEAD
	Without string    // an id: nothing that this one leads to; empty: all
	Local   bool      // nothing that a remote is known to have
	Last    int       // only this many of the newest; 0: all
	Since   time.Time // only from this time on; zero: all
}

// ErrNoCommit means that no commit has the given name or, for HEAD, that nothing was
// committed yet.
var ErrNoCommit = errors.New("there is no such commit")

// IDs names the commits of a range in the repository that dir is in, oldest first, no
// commit before one it builds on, each once. The error matches ErrNoCommit where the range
// begins at none.
func IDs(ctx context.Context, dir string, r Range) ([]Ref, error) {
	if r.Rev == "" {
		r.Rev = "HEAD"
	}
	tip, err := git.Text(ctx, dir, "rev-parse", "--quiet", "--verify", "--end-of-options", r.Rev+"^{commit}")
	if git.Exited(err, 1) {
		return nil, fmt.Errorf("looking for %s: %w", r.Rev, ErrNoCommit)
	}
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", r.Rev, err)
	}
	args := []string{"rev-list", "--timestamp", "--date-order", "--reverse"}
	if r.Last > 0 {
		args = append(args, "--max-count="+strconv.Itoa(r.Last))
	}
	if !r.Since.IsZero() {
		args = append(args, "--max-age="+strconv.FormatInt(r.Since.Unix(), 10))
	}
	args = append(args, tip)
	if r.Without != "" {
		args = append(args, "^"+r.Without)
	}
	if r.Local {
		args = append(args, "--not", "--remotes")
	}
	out, err := git.Text(ctx, dir, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("listing the commits of %s: %w", r.Rev, err)
	}
	return parseRefs(out)
}

func parseRefs(out string) ([]Ref, error) {
	var refs []Ref
	for line := range strings.Lines(out) {
		seconds, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		unix, err := strconv.ParseInt(seconds, 10, 64)
		if _, ok := git.ParseID(id); err != nil || !ok {
			return nil, fmt.Errorf("git rev-list answered %q", line)
		}
		refs = append(refs, Ref{id, time.Unix(unix, 0)})
	}
	return refs, nil
}

// Times names commits by their full ids, with their times. Ids that are
// not there are left out.
func Times(ctx context.Context, dir string, ids []string) ([]Ref, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(git.Lines(ids)), "rev-list", "--ignore-missing", "--no-walk=unsorted", "--timestamp", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("looking for commits: %w", err)
	}
	return parseRefs(string(out))
}
