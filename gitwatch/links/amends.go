package links

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/reflog"
)

// amends reads from the reflogs of every work tree's HEAD which commit was
// replaced by which, one by another with the same parents.
func amends(ctx context.Context, r *gitwatch.Repo) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(globQuoted(r.CommonDir()), "worktrees", "*", "logs", "HEAD"))
	if err != nil {
		return nil, fmt.Errorf("read reflogs: %w", err)
	}
	var doubtful []reflog.Move
	next := map[string][]string{}
	for _, file := range append(files, filepath.Join(r.CommonDir(), "logs", "HEAD")) {
		entries, err := reflog.Tail(file, reflog.MaxHead)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			switch {
			case e.Old == "" || e.New == "" || e.Old == e.New:
			case strings.HasPrefix(e.Message, "commit (amend)"):
				next[e.Old.String()] = append(next[e.Old.String()], e.New.String())
			case rewords(e.Message):
				doubtful = append(doubtful, e.Move)
			}
		}
	}
	return next, addSiblings(ctx, r, next, doubtful)
}

// addSiblings adds those moves of a rebase whose two commits have the same
// parents: others put a commit on top.
func addSiblings(ctx context.Context, r *gitwatch.Repo, next map[string][]string, moves []reflog.Move) error {
	var ids []string
	for _, m := range moves {
		ids = append(ids, m.Old.String(), m.New.String())
	}
	commits, err := look(ctx, r.Root(), ids)
	if err != nil {
		return err
	}
	for _, m := range moves {
		old, new := m.Old.String(), m.New.String()
		a, okA := commits[old]
		b, okB := commits[new]
		if okA && okB && slices.Equal(a.Parents, b.Parents) {
			next[old] = append(next[old], new)
		}
	}
	return nil
}

// rewords says whether a reflog message tells of a step of a rebase that puts a
// commit in the place of the one before.
func rewords(message string) bool {
	step, _, _ := strings.Cut(message, ":")
	return strings.HasPrefix(step, "rebase") && (strings.Contains(step, "(squash)") || strings.Contains(step, "(fixup)") || strings.Contains(step, "(reword)"))
}

// globQuoted makes a path stand for itself in a pattern.
func globQuoted(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no quoting; a pattern in a path matches at least itself
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
