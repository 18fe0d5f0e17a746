package links

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/reflog"
)

// clockSkew limits how much earlier than its parent, or than the entry that names it, a commit is
// dated because clocks disagree, in seconds.
const clockSkew = 24 * 60 * 60

// moved lists the commits that branches lead to now and did not before, and the reverse. It returns
// an error if one of the tips no longer exists.
func moved(ctx context.Context, dir string, before, now []string) (gained, lost []string, err error) {
	gained, edge, err := commitsBetween(ctx, dir, now, before)
	if err != nil {
		return nil, nil, err
	}
	stay := setOf(append(edge, now...))
	if !slices.ContainsFunc(before, func(id string) bool { return !stay[id] }) {
		return gained, nil, nil // the branches only gained commits
	}
	lost, _, err = commitsBetween(ctx, dir, before, now)
	return gained, lost, err
}

// commitsBetween lists the commits that some tips lead to and others do not. edge lists the parents
// of these that the others lead to. It returns an error if one of the tips no longer exists.
func commitsBetween(ctx context.Context, dir string, tips, without []string) (ids, edge []string, err error) {
	other := setOf(without)
	tips = slices.DeleteFunc(slices.Clone(tips), func(id string) bool { return other[id] })
	if len(tips) == 0 {
		return nil, nil, nil
	}
	ask := git.Lines(tips)
	for _, id := range without {
		ask += "^" + id + "\n"
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(ask), "rev-list", "--boundary", "--max-count="+strconv.Itoa(maxBetween+1), "--stdin")
	for line := range strings.FieldsSeq(string(out)) {
		if id, is := strings.CutPrefix(line, "-"); is {
			edge = append(edge, id)
		} else {
			ids = append(ids, id)
		}
	}
	if len(ids) > maxBetween {
		return nil, nil, fmt.Errorf("the branches moved by more than %d commits", maxBetween)
	}
	return ids, edge, err
}

// maxBetween limits branch moves, in commits, before all results are found again.
const maxBetween = 20_000

// reachableOf returns those of the wanted commits that tips lead to. It reads history from the
// latest commit back until it has found all, or to the moment since.
func reachableOf(ctx context.Context, dir string, tips []string, wanted map[string]bool, since int64) (found []string, err error) {
	if len(tips) == 0 {
		return nil, nil
	}
	err = git.Stream(ctx, dir, strings.NewReader(git.Lines(tips)), func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for len(found) < len(wanted) && lines.Scan() {
			if id := lines.Text(); wanted[id] {
				found = append(found, id)
			}
		}
		if len(found) == len(wanted) {
			return git.ErrEnough
		}
		return lines.Err()
	}, "rev-list", "--max-age="+strconv.FormatInt(max(since, 0), 10), "--stdin")
	return found, err
}

// unreachableOf returns those of some commits that no reference but the stash leads to. All of the
// commits must exist.
func unreachableOf(ctx context.Context, dir string, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(git.Lines(ids)), "rev-list", "--ignore-missing", "--stdin", "--not", "--exclude=refs/stash", "--all")
	if err != nil {
		return nil, err
	}
	return setOf(strings.Fields(string(out))), nil
}

// commitsSince lists commits with their changes, the newest first: those that tips lead to, from
// the moment since on, without merges. whole reports that there are no more than limit.
func commitsSince(ctx context.Context, dir string, tips []string, since int64, limit int, more ...string) (list []history.Commit, whole bool, err error) {
	if len(tips) == 0 {
		return nil, true, nil
	}
	args := []string{"--stdin", "--raw", "--no-renames", "--no-merges", "--max-age=" + strconv.FormatInt(max(since, 0), 10), "--max-count=" + strconv.Itoa(limit+1)}
	err = history.Log(ctx, dir, tips, append(args, more...), func(c history.Commit) bool { list = append(list, c); return true })
	if len(list) > limit {
		return list[:limit], false, err
	}
	return list, true, err
}

// commitsByID reads commits by their ids. It leaves out those that do not exist. Paths may follow
// the ids: see touching.
func commitsByID(ctx context.Context, dir string, ids []string) (map[string]history.Commit, error) {
	found := map[string]history.Commit{}
	if len(ids) == 0 {
		return found, nil
	}
	args := []string{"--ignore-missing", "--no-walk=unsorted", "--stdin", "--raw", "--no-renames", "--full-diff"}
	err := history.Log(ctx, dir, ids, args, func(c history.Commit) bool { found[c.ID] = c; return true })
	return found, err
}

// touching returns arguments that restrict some commits to those that changed one of the paths.
func touching(ids, paths []string) []string {
	ask := append(slices.Clip(ids), "--")
	for _, p := range paths {
		ask = append(ask, ":(literal)"+p)
	}
	return ask
}

// readAmends reads from the reflogs of every work tree's HEAD which commits were replaced by others
// with the same parents.
func readAmends(ctx context.Context, r *gitwatch.Repo) (map[string][]string, error) {
	var doubtful []reflog.Move
	next := map[string][]string{}
	for _, file := range reflog.HeadLogs(r.CommonDir()) {
		entries, err := reflog.Tail(filepath.Join(r.CommonDir(), filepath.FromSlash(file)), reflog.MaxHead)
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

// addSiblings adds those moves of a rebase in which the two commits have the same parents. Other
// moves put a commit on top.
func addSiblings(ctx context.Context, r *gitwatch.Repo, next map[string][]string, moves []reflog.Move) error {
	var ids []string
	for _, m := range moves {
		ids = append(ids, m.Old.String(), m.New.String())
	}
	commits, err := commitsByID(ctx, r.Root(), ids)
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

// rewords reports whether a reflog message is that of a rebase step that replaces the commit
// before.
func rewords(message string) bool {
	step, _, _ := strings.Cut(message, ":")
	return strings.HasPrefix(step, "rebase") && (strings.Contains(step, "(squash)") || strings.Contains(step, "(fixup)") || strings.Contains(step, "(reword)"))
}
