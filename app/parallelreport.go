package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/memory"
)

// report tells of all tasks, in their order, and turns them into an exit code.
func (b *batch) report() error {
	for n := range b.results {
		if r := &b.results[n]; !r.ran() && r.err == nil {
			r.err = b.unbegun()
		}
	}
	if b.o.asJSON {
		if err := b.json(b.objects()); err != nil {
			return err
		}
		return b.exit()
	}
	for n := range b.results {
		b.printResult(n)
	}
	for _, line := range overlaps(b.results) {
		b.printf("%s\n", memory.Clean(line))
	}
	b.printf("%s\n", b.sum())
	return b.exit()
}

// objects are the runs as JSON, one for each task; a task that was not begun
// has no id.
func (b *batch) objects() []runObject {
	out := make([]runObject, len(b.results))
	for n, r := range b.results {
		if r.ran() {
			out[n] = recordObject(r.rec, r.end, b.advice(r.rec, r.end))
			continue
		}
		out[n] = api.NewRun(memory.Entry{Kind: memory.KindRun, Agent: b.req.Agent.Name(), Time: b.board.started, Task: b.redact.Text(b.tasks[n]),
			Errors: []string{r.err.Error()}, Result: &memory.Result{Outcome: memory.OutcomeNotStarted}}, "")
	}
	return out
}

func nth(n, all int) string { return fmt.Sprintf("task %d of %d", n+1, all) }

// printResult prints what came of one task, and what to do with it.
func (b *batch) printResult(n int) {
	r := &b.results[n]
	title := memory.Clean(memory.Title(b.tasks[n]))
	b.printf("%s  %s\n", b.dim(fmt.Sprintf("[%d]", n+1)), b.bold(title))
	detail := func(format string, args ...any) {
		b.printf("     %s\n", cleanLine(fmt.Sprintf(format, args...)))
	}
	if !r.ran() {
		detail("not started: %v", r.err)
		return
	}
	e := &r.rec.Entry
	detail("%s", runLine(e))
	for _, line := range e.Errors[:min(len(e.Errors), maxReported)] {
		detail("error: %s", cutRunes(line, 200))
	}
	for _, line := range e.Denials[:min(len(e.Denials), maxReported)] {
		detail("denied: %s", cutRunes(line, 200))
	}
	if said, _, _ := strings.Cut(strings.TrimSpace(e.Summary), "\n"); said != "" {
		detail("said: %s", cutRunes(said, 200))
	}
	for _, line := range r.end.lines() {
		detail("%s", line)
	}
	for _, line := range b.advice(r.rec, r.end) {
		detail("hint: %s", line)
	}
}

// maxReported is how many errors, or denied actions, a report shows of a run.
const maxReported = 3

// maxOverlaps is how many shared files a report names.
const maxOverlaps = 20

// overlaps names the files that several runs changed: merging one after the
// other may conflict there.
func overlaps(results []result) []string {
	by := map[string][]string{}
	for n, r := range results {
		own := map[string]bool{}
		for _, list := range []memory.ChangeList{r.rec.Entry.Changes, r.rec.Entry.Uncommitted} {
			for _, c := range list.Items {
				for _, path := range []string{c.Path, c.OldPath} {
					if path != "" && c.Files == 0 && !own[path] {
						own[path] = true
						by[path] = append(by[path], fmt.Sprintf("[%d]", n+1))
					}
				}
			}
		}
	}
	var lines []string
	for path, runs := range by {
		if len(runs) > 1 {
			lines = append(lines, fmt.Sprintf("%s was changed by %s: merging them may conflict", path, strings.Join(runs, " ")))
		}
	}
	slices.Sort(lines)
	if more := len(lines) - maxOverlaps; more > 0 {
		lines = append(lines[:maxOverlaps], fmt.Sprintf("%d more files were changed by several runs", more))
	}
	return lines
}

// sum is the last line: how many of each outcome, the cost and the time.
func (b *batch) sum() string {
	counts := map[string]int{}
	cost := 0.0
	for _, r := range b.results {
		outcome := memory.OutcomeNotStarted
		if r.ran() {
			outcome, cost = r.rec.Outcome, cost+r.rec.Entry.Result.CostUSD
		}
		counts[strings.ReplaceAll(string(outcome), "_", " ")]++
	}
	var parts []string
	for _, outcome := range []string{"ok", "failed", "timeout", "interrupted", "not started"} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	line := plural.Count(len(b.results), "task") + ": " + strings.Join(parts, ", ")
	if cost > 0 {
		line += " · " + memory.Price(cost)
	}
	took := time.Since(b.board.started)
	return line + " · " + took.Round(precision(took)).String()
}
