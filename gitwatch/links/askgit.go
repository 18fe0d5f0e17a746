package links

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
)

// clockSkew is how far a commit may stand before its parent, or before the
// entry that names it, by clocks that disagree, in seconds.
const clockSkew = 24 * 60 * 60

// commitsBetween lists the commits that some tips lead to and others do not. It is
// an error that one of them is not there any more.
func commitsBetween(ctx context.Context, dir string, tips, without []string) ([]string, error) {
	other := setOf(without)
	tips = slices.DeleteFunc(slices.Clone(tips), func(id string) bool { return other[id] })
	if len(tips) == 0 {
		return nil, nil
	}
	ask := git.Lines(tips)
	for _, id := range without {
		ask += "^" + id + "\n"
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(ask), "rev-list", "--max-count="+strconv.Itoa(maxBetween+1), "--stdin")
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	if len(ids) > maxBetween {
		return nil, fmt.Errorf("the branches moved by more than %d commits", maxBetween)
	}
	return ids, nil
}

// maxBetween is by how many commits branches may move before all is found out
// anew.
const maxBetween = 20_000

// reached returns those of the wanted commits that tips lead to. History is
// read from the youngest commit back until all are found, or to the moment
// since.
func reached(ctx context.Context, dir string, tips []string, wanted map[string]bool, since int64) ([]string, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := git.Command(running, dir, "rev-list", "--max-age="+strconv.FormatInt(max(since, 0), 10), "--stdin")
	if err != nil {
		return nil, err
	}
	cmd.Stdin = strings.NewReader(git.Lines(tips))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var found []string
	lines := bufio.NewScanner(out)
	for len(found) < len(wanted) && lines.Scan() {
		if id := lines.Text(); wanted[id] {
			found = append(found, id)
		}
	}
	if len(found) == len(wanted) {
		stop()
		_ = cmd.Wait() // it was ended early
		return found, nil
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("git rev-list: %w", err)
	}
	return found, lines.Err()
}

// unreached returns those of some commits, all of them there, that no
// reference but the stash leads to.
func unreached(ctx context.Context, dir string, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(git.Lines(ids)), "rev-list", "--ignore-missing", "--stdin", "--not", "--exclude=refs/stash", "--all")
	if err != nil {
		return nil, err
	}
	return setOf(strings.Fields(string(out))), nil
}

// made lists commits with what they changed, the newest first: those that
// tips lead to, from the moment since on, merges left out; whole says that
// there are no more than limit.
func made(ctx context.Context, dir string, tips []string, since int64, limit int, more ...string) (list []history.Commit, whole bool, err error) {
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

// look reads commits by their ids; those that are not there are left out.
func look(ctx context.Context, dir string, ids []string) (map[string]history.Commit, error) {
	found := map[string]history.Commit{}
	if len(ids) == 0 {
		return found, nil
	}
	args := []string{"--ignore-missing", "--no-walk=unsorted", "--stdin", "--raw", "--no-renames"}
	err := history.Log(ctx, dir, ids, args, func(c history.Commit) bool { found[c.ID] = c; return true })
	return found, err
}
