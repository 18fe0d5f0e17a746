package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentflow/app"
	"agentflow/internal/shellword"
	"agentflow/internal/terminal"
)

// begin is the end of connect in a repository: it takes in the history if that is wanted, and
// shows what to try. Outside of a repository it does nothing.
func (c *cli) begin(ctx context.Context, history, ask, first bool) error {
	look, err := c.memory.FirstLook(ctx)
	if err != nil || look.Path == "" && look.Task == "" {
		return nil // no repository, or one without a commit, where there is nothing to try
	}
	if ask && !history {
		history = c.offerHistory(ctx)
	}
	if history {
		if err := c.backfill(ctx, app.BackfillRequest{Last: app.BackfillLast}); err != nil {
			return err
		}
	}
	if first || history {
		c.show(ctx, look)
	}
	return nil
}

// offerHistory asks whether the history is to be taken into memory, if there is more of it
// than memory has.
func (c *cli) offerHistory(ctx context.Context) bool {
	found, err := c.memory.Backfill(ctx, app.BackfillRequest{Last: app.BackfillLast, DryRun: true})
	if err != nil || found.Recorded == 0 {
		return false
	}
	what := fmt.Sprintf("%d commits", found.Recorded)
	if found.Commits == app.BackfillLast {
		what = "its newest " + what
	}
	return c.agreedUnlessNo("take the history of this repository into memory? (" + what + ", some seconds)")
}

// shownAnswer is how many lines of an answer are shown.
const shownAnswer = 4

// show prints commands that a person can try, each with its answer. One that has no answer
// here is left out.
func (c *cli) show(ctx context.Context, look app.FirstLook) {
	var tries [][]string
	if look.Path != "" {
		tries = append(tries, []string{"why", look.Path + ":" + strconv.Itoa(look.Line)})
	}
	if look.Task != "" {
		tries = append(tries, []string{"files", look.Task})
	}
	if look.Words != "" {
		tries = append(tries, []string{"search", look.Words})
	}
	shown := 0
	for _, args := range tries {
		if answer := c.answerOf(ctx, args); answer != "" {
			if shown++; shown == 1 {
				c.printf("\n%s\n", c.bold("Try now:"))
			}
			c.printf("\n$ agentflow %s\n%s", shellword.Join(args), answer)
		}
	}
	c.printf("\nThen start your agent as always; 'agentflow log' shows what it did.\n")
}

// answerOf runs an agentflow command and returns the first lines of what it prints; empty: it
// has no answer.
func (c *cli) answerOf(ctx context.Context, args []string) string {
	var out bytes.Buffer
	sub := &cli{voice: voice{out: &out, err: io.Discard, work: &terminal.Work{}, quiet: true}, in: strings.NewReader(""), dir: c.dir, environ: c.environ, memory: c.memory}
	root := sub.command()
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
