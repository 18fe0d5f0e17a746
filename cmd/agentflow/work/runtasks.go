package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	apprun "agentflow/app/run"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// runTasks runs several tasks, for run --parallel.
func runTasks(ctx context.Context, c *cli.Env, o runOptions, words []string) error {
	tasks, err := tasks(c, o, words)
	if err != nil {
		return err
	}
	if o.dryRun {
		res, err := apprun.Prompts(ctx, c.Memory, o.Request, tasks...)
		for n, prompt := range res.Prompts {
			c.Printf("%s\n%s\n", c.Bold(nth(n, len(tasks))), strings.TrimSuffix(prompt, "\n"))
		}
		return err
	}
	ctx, hurry, begin, done := c.Interruptible(ctx, "all runs")
	defer done()
	o.Hurry = hurry
	outputs := make([]*terminal.Prefixed, len(tasks))
	for n := range outputs {
		outputs[n] = &terminal.Prefixed{To: c.Err, Prefix: fmt.Sprintf("[%d] ", n+1), Clean: memory.Clean}
	}
	var show *liveRuns
	res, err := apprun.RunTasks(app.Listen(ctx, func(e app.Event) {
		switch {
		case e.Kind == app.EventRunBegins:
			begin()
			show = showRuns(c, max(len(tasks), 2), o.maxTotal)
		case e.Kind == app.EventRun:
			if e.Run.Result != nil || e.Run.Err != nil {
				outputs[e.Run.Task].End()
				printEnded(c, e.Run)
			}
			show.show(e.Run)
		default:
			c.Hear(e)
		}
	}), c.Memory, apprun.TasksRequest{Request: o.Request, Tasks: tasks, AtOnce: o.parallel, MaxTotalCost: o.maxTotal,
		Outputs: func(task int) io.Writer { return outputs[task] }})
	if err != nil {
		return err
	}
	show.end()
	done()
	runs := []api.Run{}
	for _, task := range res.Tasks {
		runs = append(runs, task.Run)
	}
	err = c.Result(nil, runs, func() { printTasks(c, res, tasks, time.Since(show.started)) })
	return errors.Join(err, exitOfTasks(res, o))
}

// printEnded prints that one of several runs has ended.
func printEnded(c *cli.Env, e *app.RunEvent) {
	if e.Err != nil {
		c.Warn("[%d] not started: %v", e.Task+1, e.Err)
		return
	}
	line := runLine(e.Result)
	if why := e.Result.Reason; why != "" {
		line += ": " + textwidth.Cut(why, maxReason)
	}
	c.Say("[%d] %s", e.Task+1, line)
	printUnkept(c, e.Result)
}

// maxOverlaps limits the shared files in a report.
const maxOverlaps = 20

// printTasks prints the results of all tasks, in their order.
func printTasks(c *cli.Env, res apprun.TasksResult, tasks []string, took time.Duration) {
	for n := range res.Tasks {
		printTask(c, n, memory.Title(tasks[n]), &res.Tasks[n])
	}
	for _, o := range res.Overlaps[:min(len(res.Overlaps), maxOverlaps)] {
		var numbers []string
		for _, n := range o.Tasks {
			numbers = append(numbers, fmt.Sprintf("[%d]", n+1))
		}
		c.Printf("%s\n", cli.CleanLine(fmt.Sprintf("%s was changed by %s: merging them may conflict", o.Path, strings.Join(numbers, " "))))
	}
	if more := len(res.Overlaps) - maxOverlaps; more > 0 {
		c.Printf("%d more files were changed by several runs\n", more)
	}
	c.Printf("%s\n", tasksLine(res.Tasks, took))
}

// maxReported limits the errors, or denied actions, reported of a run.
const maxReported = 3

// printTask prints the result of one task, and the next steps.
func printTask(c *cli.Env, n int, title string, task *apprun.TaskResult) {
	c.Printf("%s  %s\n", c.Dim(fmt.Sprintf("[%d]", n+1)), c.Bold(memory.Clean(title)))
	detail := func(text string) { c.Printf("     %s\n", cli.CleanLine(text)) }
	if task.Err != nil {
		detail("not started: " + task.Err.Error())
		return
	}
	run := &task.Run
	detail(runLine(&task.RunResult))
	for _, line := range run.Errors[:min(len(run.Errors), maxReported)] {
		detail("error: " + textwidth.Cut(line, 200))
	}
	for _, line := range run.Denials[:min(len(run.Denials), maxReported)] {
		detail("denied: " + textwidth.Cut(line, 200))
	}
	if said, _, _ := strings.Cut(strings.TrimSpace(run.Summary), "\n"); said != "" {
		detail("said: " + textwidth.Cut(said, 200))
	}
	for _, line := range worktreeLines(task.Worktree) {
		detail(line)
	}
	for _, line := range run.Hints {
		detail("hint: " + line)
	}
}

// tasksLine returns the last line: how many of each outcome, the cost and the time.
func tasksLine(tasks []apprun.TaskResult, took time.Duration) string {
	counts, cost := map[string]int{}, 0.0
	for _, task := range tasks {
		counts[strings.ReplaceAll(string(task.Run.Outcome), "_", " ")]++
		cost += task.Run.CostUSD
	}
	var parts []string
	for _, outcome := range []string{"ok", "failed", "timeout", "interrupted", "not started"} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	line := plural.Count(len(tasks), "task") + ": " + strings.Join(parts, ", ")
	if cost > 0 {
		line += " · " + memory.Price(cost)
	}
	return line + " · " + plural.Duration(took)
}

// exitOfTasks returns the exit code of several runs.
func exitOfTasks(res apprun.TasksResult, o runOptions) error {
	code := cli.ExitOK
	for _, task := range res.Tasks {
		switch {
		case task.Err != nil || task.Run.Outcome != memory.OutcomeOK:
			code = cli.ExitAgent
		case code == cli.ExitOK && (task.NotRecorded || o.strict && len(task.Run.Degraded) > 0):
			code = cli.ExitNotRecorded
		}
	}
	if in := cli.Interruption(res.Interrupted); in != nil {
		code, _, _ = cli.Classify(in)
	}
	if code == cli.ExitOK {
		return nil
	}
	return cli.Ended{Code: code, Err: errors.New("not all runs ended well"), Reported: true}
}
