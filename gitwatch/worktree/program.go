package worktree

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// askGit runs git in dir and returns its output without the line end.
func askGit(ctx context.Context, dir string, args ...string) (string, error) {
	return retryWhileMaking(ctx, func() (string, error) {
		return git.Text(ctx, dir, args...)
	})
}

// endWait limits git's time to end after it was asked to, and the wait for the output of a hook's
// background process.
const endWait = 5 * time.Second

// gitChange lets git change the repository that dir is in. When ctx ends, git is asked to end, so
// that it undoes the steps it began.
func gitChange(ctx context.Context, dir string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", git.ErrNoProgram
	}
	return retryWhileMaking(ctx, func() (string, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = dir
		cmd.Env = append(git.Env(os.Environ()), "GIT_TERMINAL_PROMPT=0") // there is no person to answer
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = endWait
		out, err := git.Run(ctx, cmd, strings.Join(args[:min(2, len(args))], " "), nil)
		return strings.TrimSuffix(string(out), "\n"), err
	})
}

// The pauses between attempts while another git makes a work tree.
const (
	firstPause = time.Millisecond
	lastPause  = 512 * time.Millisecond
)

// retryWhileMaking tries again if another git was just making or removing a work tree. A git that
// looks at all of them then finds a commondir file that is empty, or a folder that is gone, and
// gives up.
func retryWhileMaking(ctx context.Context, attempt func() (string, error)) (string, error) {
	for pause := firstPause; ; pause *= 2 {
		out, err := attempt()
		if err != nil && ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil || pause > lastPause || !strings.Contains(err.Error(), "/commondir") && !strings.Contains(err.Error(), "Invalid path '") {
			return out, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// namingVariables lists the variables that name the repository and work tree for git's children,
// hooks and aliases (git rev-parse --local-env-vars, without those that carry settings).
var namingVariables = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
}

// EnvIn returns env for a program that works in the folder dir of another work tree: without the
// variables that name the one we were started in, and with PWD set to dir.
func EnvIn(env []string, dir string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(namingVariables, name) || name == "PWD" || name == "OLDPWD"
	})
	return append(out, "PWD="+dir)
}
