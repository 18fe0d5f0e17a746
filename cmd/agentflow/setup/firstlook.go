package setup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/app/search"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/find"
	"agentflow/internal/plural"
	"agentflow/internal/shellword"
	"agentflow/internal/terminal"
	"agentflow/memory/retrieval"
)

// begin ends connect in a repository: it takes in the history if the user wants that, and
// shows commands to try. Outside of a repository it does nothing.
func begin(ctx context.Context, c *cli.Env, history, ask, first bool) error {
	look, err := setup.FindFirstLook(ctx, c.Memory)
	if err != nil || look.Path == "" && len(look.Tasks) == 0 {
		return nil // no repository, or one without a commit, where there is nothing to try
	}
	if ask && !history {
		history = offerHistory(ctx, c, look.Commits)
	}
	if history {
		if err := backfill(ctx, c, commit.BackfillRequest{Last: settle.BackfillLast}); err != nil {
			return err
		}
	}
	if first || history {
		_, _ = setup.ReadFiles(ctx, c.Memory) // without it the example names fewer files
		show(ctx, c, look)
	}
	return nil
}

// offerHistory asks whether to take so many commits of the history into memory, if
// memory lacks some of them.
func offerHistory(ctx context.Context, c *cli.Env, commits int) bool {
	found, err := commit.Backfill(ctx, c.Memory, commit.BackfillRequest{Last: settle.BackfillLast, DryRun: true})
	if err != nil || found.Recorded == 0 {
		return false
	}
	what := plural.Count(found.Recorded, "commit")
	if commits > found.Commits {
		what = fmt.Sprintf("the newest %d of %d commits", found.Commits, commits)
	}
	return c.AgreedUnlessNo("take the history of this repository into memory? (" + what + ", some seconds)")
}

// shownAnswer limits the shown lines of an answer.
const shownAnswer = 4

// show prints commands that a person can try, each with its answer. One that has no answer
// here is left out. Notices of these commands are not printed.
func show(ctx context.Context, c *cli.Env, look setup.FirstLook) {
	ctx = app.Listen(ctx, nil)
	shown := 0
	try := func(answer string, args ...string) {
		if answer == "" {
			return
		}
		if shown++; shown == 1 {
			c.Printf("\n%s\n", c.Bold("Try now:"))
		}
		c.Printf("\n$ agentflow %s\n%s", shellword.Join(args), answer)
	}
	if line := look.Path + ":" + strconv.Itoa(look.Line); look.Path != "" {
		try(answerOf(ctx, c, "why", line), "why", line)
	}
	task, files := likeliest(ctx, c, look.Tasks)
	try(files, "files", task)
	if look.Words != "" {
		try(answerOf(ctx, c, "search", look.Words), "search", look.Words)
	}
	if shown == 0 {
		c.Printf("Memory has nothing to show yet: 'agentflow backfill' takes in the commits of this repository.\n")
	}
	c.Printf("\nThen start your agent as always; 'agentflow log' shows what it did.\n")
}

// into returns a context like this one that prints to out, and nothing else.
func into(c *cli.Env, out io.Writer) *cli.Env {
	return &cli.Env{Voice: cli.Voice{Out: out, Err: io.Discard, Work: &terminal.Work{}, Quiet: true}, In: strings.NewReader(""), Dir: c.Dir, Environ: c.Environ, Memory: c.Memory, Commands: c.Commands}
}

// leastShown keeps files with a lower chance out of the examples.
const leastShown = 0.05

// likeliest returns the task of which memory knows the first file best, and its files as the command
// prints them, with the meaning of the figures and the mark; empty if no task has a file.
func likeliest(ctx context.Context, c *cli.Env, tasks []string) (task, answer string) {
	var best []retrieval.LikelyFile
	for _, t := range tasks {
		found, err := search.LikelyFiles(ctx, c.Memory, search.LikelyFilesRequest{Task: t, Limit: shownAnswer})
		files := slices.DeleteFunc(found.Files, func(f retrieval.LikelyFile) bool { return f.Chance < leastShown })
		if err == nil && len(files) > 0 && (len(best) == 0 || files[0].Chance > best[0].Chance) {
			task, best = t, files
		}
	}
	if len(best) == 0 {
		return "", ""
	}
	var out bytes.Buffer
	find.PrintFiles(into(c, &out), best, false)
	meaning := "(% is the chance that the task changes a file"
	if slices.ContainsFunc(best, func(f retrieval.LikelyFile) bool { return f.Sure }) {
		meaning += "; prompts name files with a *"
	}
	out.WriteString(meaning + ")\n")
	return task, out.String()
}

// answerOf runs an agentflow command and returns the first lines of its output, or empty
// without an answer.
func answerOf(ctx context.Context, c *cli.Env, args ...string) string {
	var out bytes.Buffer
	to := into(c, &out)
	root := to.Commands(to)
	root.SetArgs(args)
	if root.ExecuteContext(ctx) != nil {
		return ""
	}
	lines := strings.SplitAfter(strings.TrimRight(out.String(), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	if len(lines) > shownAnswer {
		lines = append(lines[:shownAnswer], "…\n")
	}
	if out.Len() == 0 {
		return ""
	}
	return strings.Join(lines, "")
}
