package links

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/repofile"
)

// maxReflog is how much of the end of a reflog is read, in bytes.
const maxReflog = 4 << 20

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
		moves, err := readAmends(file)
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			if strings.HasPrefix(m.Message, "commit (amend)") {
				next[m.Old.String()] = append(next[m.Old.String()], m.New.String())
			} else {
				doubtful = append(doubtful, m)
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

// readAmends reads the moves that may have replaced a commit.
func readAmends(file string) ([]reflog.Move, error) {
	f, err := repofile.Open(file, repofile.AnyLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxReflog {
		if _, err := f.Seek(-maxReflog, io.SeekEnd); err != nil {
			return nil, fmt.Errorf("read reflog %s: %w", file, err)
		}
	}
	var moves []reflog.Move
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m, _, ok := reflog.ParseLine(lines.Text()); ok && m.Old != "" && m.New != "" && m.Old != m.New && replaces(m.Message) {
			moves = append(moves, m)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read reflog %s: %w", file, err)
	}
	return moves, nil
}

// replaces says whether a reflog message tells of a commit that may stand in
// the place of the one before.
func replaces(message string) bool {
	step, _, _ := strings.Cut(message, ":")
	if step == "commit (amend)" {
		return true
	}
	return strings.HasPrefix(step, "rebase") && (strings.Contains(step, "(squash)") || strings.Contains(step, "(fixup)") || strings.Contains(step, "(reword)"))
}

// globQuoted makes a path stand for itself in a pattern.
func globQuoted(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no quoting; a pattern in a path matches at least itself
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
