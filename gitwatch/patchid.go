package gitwatch

import (
	"bytes"
	"context"
	"strings"
)

// maxPatchPaths is how many changed paths patch ids are worked out for: they
// cost a whole diff.
const maxPatchPaths = 1000

// patchIDs asks git for the stable patch ids of commits (git-patch-id(1)), by
// which they are known again after a rebase. Without git there are none.
func (r *Repo) patchIDs(ctx context.Context, commits []*commitInfo) []string {
	var ids strings.Builder
	for _, c := range commits {
		ids.WriteString(c.id.String() + "\n")
	}
	diff, err := r.git(ctx, strings.NewReader(ids.String()), "diff-tree", "--stdin", "-p", "--root", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return nil
	}
	out, err := r.git(ctx, bytes.NewReader(diff), "patch-id", "--stable")
	if err != nil {
		return nil
	}
	var patches []string
	for line := range strings.Lines(string(out)) {
		if id, _, ok := strings.Cut(line, " "); ok {
			patches = append(patches, id)
		}
	}
	return patches
}
