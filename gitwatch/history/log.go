package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// Commit is one commit as git log tells it.
type Commit struct {
	ID      string    // full
	Parents []string  // full ids; several for a merge; none also where a shallow history is cut off
	Time    time.Time // of the commit, in the committer's zone; whole seconds
	Subject string    // on one line
	Body    string
	Files   []memory.Change // against the parent, renames followed
	Unread  string          // why Files are not known; empty when they are
}

// Options say which commits History yields; the zero value means all.
type Options struct {
	Last int // only this many of the newest
}

// All yields the commits that HEAD leads to in the repository that dir is
// in, oldest first, no commit before one it builds on, merges left out, lines
// not counted. It asks the git program, whose config can change nothing about
// the answer, and reads along as git writes. An error is yielded once, as the
// last pair; a repository without a commit is such an error. Names and
// messages may hold any bytes but NUL.
func All(ctx context.Context, dir string, o Options) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		args := []string{"--raw", "--date-order", "--reverse", "--no-merges"}
		if o.Last > 0 {
			args = append(args, "--max-count="+strconv.Itoa(o.Last))
		}
		if err := Log(ctx, dir, nil, args, func(c Commit) bool { return yield(c, nil) }); err != nil {
			yield(Commit{}, fmt.Errorf("reading the history of %s: %w", dir, err))
		}
	}
}

// Log reads what git log says in dir with some more arguments, and of ids, on
// its standard input, unless they are nil. It calls take with each commit until
// that returns false. Nothing is fetched.
func Log(ctx context.Context, dir string, ids, args []string, take func(Commit) bool) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := git.Command(running, dir, logArgs(args)...)
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if ids != nil {
		cmd.Stdin = strings.NewReader(git.Lines(ids))
	}
	// What is not here is not fetched: counting lines needs no network.
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	enough, err := readLog(out, take)
	// Where the output was cut off, git itself tells why.
	stopped := enough || err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
	if stopped {
		stop()
	}
	ended := cmd.Wait()
	switch {
	case enough:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case ended != nil && !stopped:
		return fmt.Errorf("git log: %w: %s", ended, git.OneLine(stderr.String()))
	}
	return err
}

// logArgs ask for a log that no setting of the user changes.
func logArgs(more []string) []string {
	args := []string{
		"-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "diff.renameLimit=1000", "-c", "core.bigFileThreshold=" + bigFile,
		"log", "-z", "--no-abbrev", "--no-color", "--format=" + logFormat, "--date=raw", "--encoding=UTF-8", "--diff-merges=off",
		"--find-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "-O/dev/null",
	}
	return append(append(args, more...), "--")
}

// bigFile is the size from which lines are not counted.
const bigFile = "10m"
