package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// MergeError says why a merge was not made, or not completed.
type MergeError struct {
	Conflicts []string // files that both sides changed
	InTheWay  []string // uncommitted files that the merge would overwrite
	// Begun says that git began the merge and left it to the user: 'git commit' completes it, 'git
	// merge --abort' cancels it. Otherwise nothing was changed.
	Begun bool
	Git   error // git's error; nil if the merge was not tried
}

func (e *MergeError) Error() string {
	switch {
	case len(e.Conflicts) > 0:
		return "conflicts in " + git.OneLine(strings.Join(e.Conflicts, ", "))
	case len(e.InTheWay) > 0:
		return "uncommitted changes are in the way: " + git.OneLine(strings.Join(e.InTheWay, ", "))
	}
	return e.Git.Error()
}

func (e *MergeError) Unwrap() error { return e.Git }

// Merging reports whether a merge is in progress in the work tree dir.
func Merging(ctx context.Context, dir string) (bool, error) {
	_, err := askGit(ctx, dir, "rev-parse", "--quiet", "--verify", "MERGE_HEAD")
	if git.Exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// Merge lets git merge a branch into the one that is checked out in the work tree dir, with the
// settings and hooks of the user, and returns git's output. Conflicts that git foresees change
// nothing. A git before 2.38 foresees none. The error may be a *MergeError.
func Merge(ctx context.Context, dir string, env []string, branch string) (said string, err error) {
	full := git.BranchPrefix + branch
	if conflicts := foreseen(ctx, dir, full); len(conflicts) > 0 {
		return "", &MergeError{Conflicts: conflicts}
	}
	// The short name makes the better message, unless a tag has it too.
	if tag, err := askGit(ctx, dir, "rev-parse", "--quiet", "--verify", "refs/tags/"+branch); err == nil && tag != "" {
		branch = full
	}
	said, err = gitAs(ctx, dir, env, "merge", "--no-edit", branch)
	if err == nil || ctx.Err() != nil {
		return said, err
	}
	why := &MergeError{Git: err}
	if why.Begun, _ = Merging(ctx, dir); why.Begun {
		unmerged, _ := askGit(ctx, dir, "diff", "--name-only", "--diff-filter=U", "-z")
		why.Conflicts = git.SplitZ(unmerged)
		return said, why
	}
	for line := range strings.Lines(said) { // git names such files this way in every language
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			why.InTheWay = append(why.InTheWay, strings.TrimSpace(name))
		}
	}
	return said, why
}

// foreseen returns the files that a merge into HEAD would leave in conflict, as far as git can find
// out without touching any.
func foreseen(ctx context.Context, dir, full string) []string {
	cmd, err := git.Command(ctx, dir, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "HEAD", full)
	if err != nil {
		return nil
	}
	out, err := cmd.Output()
	names := git.SplitZ(string(out)) // after the id of a tree
	if !git.Exited(err, 1) || len(names) < 2 {
		return nil
	}
	return names[1:]
}

// Commit commits all files that git does not ignore in the work tree at dir, with the settings and
// hooks of the user. It refuses while there is another repository in it, because a commit would not
// contain its files, and while a submodule has uncommitted files.
func Commit(ctx context.Context, dir string, env []string, message string) error {
	out, err := askGit(ctx, dir, "status", "--porcelain", "-z", "--untracked-files=all")
	if err != nil {
		return err
	}
	for _, entry := range git.SplitZ(out) {
		if name, untracked := strings.CutPrefix(entry, "?? "); untracked && strings.HasSuffix(name, "/") {
			return fmt.Errorf("commit all in %s: %s is another repository", dir, git.OneLine(name))
		}
	}
	dirty, err := dirtySubmodules(ctx, dir)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("commit all in %s: submodule %s has uncommitted changes: commit them there first", dir, git.OneLine(dirty[0]))
	}
	if _, err := gitAs(ctx, dir, env, "add", "--all"); err != nil {
		return fmt.Errorf("commit all in %s: %w", dir, err)
	}
	if _, err := gitAs(ctx, dir, env, "commit", "--quiet", "--message", message); err != nil {
		return fmt.Errorf("commit all in %s: %w", dir, err)
	}
	return nil
}

// gitAs runs the git program in dir for a person, with all of their environment, and returns the
// output of git and its hooks.
func gitAs(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", git.ErrNoProgram
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, EnvIn(env, dir), &said, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endWait
	err = cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return said.String(), nil
	case ctx.Err() != nil:
		return said.String(), context.Cause(ctx)
	}
	return said.String(), fmt.Errorf("git %s: %w: %s", args[0], err, git.Reason(said.String()))
}
