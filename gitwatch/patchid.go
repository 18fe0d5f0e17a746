package gitwatch

import (
	"context"
	"fmt"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// MaxPatchPaths is up to how many changed paths patch ids are computed: each costs
// a whole diff.
const MaxPatchPaths = 1000

// PatchIDs asks git for the stable patch ids of commits (git-patch-id(1)), by full
// commit id. A commit keeps its patch id through a rebase. Merges and commits that
// changed nothing have none, nor has a partial clone, whose contents may be
// elsewhere. All commits must exist.
func (r *Repo) PatchIDs(ctx context.Context, commits ...string) (patches map[string]string, err error) {
	defer git.Caught(&err)
	patches = map[string]string{}
	if r.at.Partial {
		return patches, nil
	}
	lines, err := r.patchLines(ctx, commits)
	for _, l := range lines {
		patches[l[1]] = l[0]
	}
	return patches, err
}

// patchLines returns, for lines of "commit", or "commit base" for the change from
// a base to a commit, pairs of patch id and commit in the same order. An empty
// change has no pair.
func (r *Repo) patchLines(ctx context.Context, lines []string) (pairs [][2]string, err error) {
	if len(lines) == 0 {
		return nil, nil
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	// The full ids tell binary files apart.
	diff, err := git.Command(running, r.at.Top, "diff-tree", "--stdin", "-p", "--root", "--full-index", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return nil, err
	}
	diff.Stdin = strings.NewReader(git.Lines(lines))
	patch, err := diff.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := diff.Start(); err != nil {
		return nil, err
	}
	out, err := r.at.Git(ctx, patch, "patch-id", "--stable")
	if err != nil {
		stop()
	}
	if ended := diff.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("git diff-tree: %w", ended)
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if patch, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			pairs = append(pairs, [2]string{patch, commit})
		}
	}
	return pairs, nil
}

// patchIDs are the patch ids by which an entry recognises its commits after a
// rebase: that of each, empty where it has none, and that of a squash of them all
// where several stand in a row. Without git there are none.
func (r *Repo) patchIDs(ctx context.Context, commits []*objects.Commit) []string {
	var lines []string
	for _, c := range commits {
		lines = append(lines, c.ID.String())
	}
	pairs, err := r.patchLines(ctx, lines)
	if err != nil || len(pairs) == 0 {
		return nil
	}
	byID := map[string]string{}
	for _, p := range pairs {
		byID[p[1]] = p[0]
	}
	var patches []string
	for _, id := range lines {
		patches = append(patches, byID[id])
	}
	if base, ok := baseOfRow(commits); ok {
		net, err := r.patchLines(ctx, []string{lines[len(lines)-1] + " " + base})
		if err == nil && len(net) == 1 {
			patches = append(patches, net[0][0])
		}
	}
	return patches
}

// baseOfRow returns the parent of the first of several commits where each is the
// parent of the next.
func baseOfRow(commits []*objects.Commit) (base string, ok bool) {
	if len(commits) < 2 || len(commits[0].Parents) != 1 {
		return "", false
	}
	for i, c := range commits[1:] {
		if len(c.Parents) != 1 || c.Parents[0] != commits[i].ID {
			return "", false
		}
	}
	return commits[0].Parents[0].String(), true
}
