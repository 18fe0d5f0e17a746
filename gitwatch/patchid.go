package gitwatch

import (
	"context"
	"io"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// MaxPatchPaths limits the changed paths for which patch ids are computed, because
// each costs a whole diff.
const MaxPatchPaths = 1000

// PatchIDs asks git for the stable patch ids of commits (git-patch-id(1)), by full commit id. A
// commit keeps its patch id through a rebase. Merges and commits that changed nothing have none,
// nor do commits that do not exist. A partial clone has none, because its contents may be
// elsewhere. If git fails, for example because contents are missing, the patch ids of the commits
// before are returned with the error.
func (r *Repo) PatchIDs(ctx context.Context, commits ...string) (patches map[string]string, err error) {
	defer git.Caught(&err)
	if r.at.Partial {
		return map[string]string{}, nil
	}
	return r.patches(ctx, commits)
}

// patches returns patch ids by commit, for lines of "commit", or of "commit base" for the change
// from a base to a commit. An empty change has none.
func (r *Repo) patches(ctx context.Context, lines []string) (map[string]string, error) {
	byCommit := map[string]string{}
	if len(lines) == 0 {
		return byCommit, nil
	}
	var out []byte
	// The full ids distinguish binary files.
	err := git.Stream(ctx, r.at.Top, strings.NewReader(git.Lines(lines)), func(diff io.Reader) (err error) {
		out, err = r.at.Git(ctx, diff, "patch-id", "--stable")
		return err
	}, "diff-tree", "--stdin", "-p", "--root", "--full-index", "--no-ext-diff", "--no-textconv")
	last := ""
	for line := range strings.Lines(string(out)) {
		if patch, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			byCommit[commit], last = patch, commit
		}
	}
	if err != nil {
		delete(byCommit, last) // its diff may have been cut short
	}
	return byCommit, err
}

// patchIDs returns the patch ids by which an entry recognises its commits after a rebase: that of
// each commit, empty if it has none, and that of a squash of all of them if they are several
// consecutive ones. Without git there are none.
func (r *Repo) patchIDs(ctx context.Context, commits []*objects.Commit) []string {
	var ids, patches []string
	for _, c := range commits {
		ids = append(ids, c.ID.String())
	}
	byCommit, err := r.patches(ctx, ids)
	if err != nil || len(byCommit) == 0 {
		return nil
	}
	for _, id := range ids {
		patches = append(patches, byCommit[id])
	}
	if base, ok := baseOfRow(commits); ok {
		last := ids[len(ids)-1]
		if squash, err := r.patches(ctx, []string{last + " " + base}); err == nil && squash[last] != "" {
			patches = append(patches, squash[last])
		}
	}
	return patches
}

// baseOfRow returns the parent of the first of several commits if each is the parent of the next.
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
