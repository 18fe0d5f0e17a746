package work

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// liveRuns shows the active runs: in the last lines of a terminal, elsewhere
// as plain lines. With several runs, each line begins with a number.
type liveRuns struct {
	c       *cli.Env
	all     int     // how many runs there are to be
	limit   float64 // limit of the cost of all runs, in US dollars; 0: no limit
	started time.Time
	end     func() // takes the lines away

	mu     sync.Mutex // guards all below
	rows   []*runRow  // of the active runs, in the order they began
	cost   float64
	ended  int
	failed int
}

// runRow is one active run.
type runRow struct {
	app.RunEvent // the last one
	label        string
	began        time.Time
}

func showRuns(c *cli.Env, all int, limit float64) *liveRuns {
	l := &liveRuns{c: c, all: all, limit: limit, started: time.Now(), end: func() {}}
	if c.Live != nil && !c.Quiet {
		l.end = c.Live.Show(l.view)
	}
	return l
}

// show shows an event of a run.
func (l *liveRuns) show(e *app.RunEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Result != nil || e.Err != nil {
		l.ended++
		if e.Err != nil || e.Result.Run.Outcome != memory.OutcomeOK {
			l.failed++
		}
		if e.Err == nil {
			l.cost += e.Result.Run.CostUSD
		}
		l.rows = slices.DeleteFunc(l.rows, func(r *runRow) bool { return r.Task == e.Task })
		return
	}
	if e.Given != "" {
		l.c.Aside("%s%s", l.number(e.Task), e.Given)
		return
	}
	if e.Line != "" && l.c.Live == nil {
		l.c.Say("%s%s", l.number(e.Task), e.Line)
	}
	if said := strings.TrimSpace(e.Said); said != "" && l.all == 1 && l.c.Live != nil && !l.c.Quiet {
		l.c.Line("2", said)
	}
	at := slices.IndexFunc(l.rows, func(r *runRow) bool { return r.Task == e.Task })
	if at < 0 {
		at = len(l.rows)
		l.rows = append(l.rows, &runRow{label: e.Title, began: time.Now()})
	}
	if e.Doing != "" {
		l.rows[at].RunEvent = *e
	}
}

// number returns the prefix of a run's lines if there are several runs.
func (l *liveRuns) number(task int) string {
	if l.all == 1 {
		return ""
	}
	return fmt.Sprintf("[%d] ", task+1)
}

// view returns the lines for the terminal: the overall progress if there are several
// runs, and as many active runs as there is room for.
func (l *liveRuns) view(now time.Time, columns, rows int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == 1 {
		if len(l.rows) == 0 {
			return nil
		}
		return []string{l.rows[0].row(now).Line(columns)}
	}
	list := make([]terminal.Row, len(l.rows))
	for i, r := range l.rows {
		list[i] = r.row(now)
		list[i].Number = l.number(r.Task)
	}
	return append([]string{textwidth.Cut(l.sum(now), columns)}, terminal.Rows(list, columns, max(rows-1, 2))...)
}

func (l *liveRuns) sum(now time.Time) string {
	parts := []string{fmt.Sprintf("%d of %d done", l.ended, l.all)}
	if l.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of them not well", l.failed))
	}
	parts = append(parts, fmt.Sprintf("%d running", len(l.rows)))
	switch {
	case l.limit > 0:
		parts = append(parts, memory.Price(l.cost)+" of "+memory.Price(l.limit))
	case l.cost > 0:
		parts = append(parts, memory.Price(l.cost))
	}
	return strings.Join(append(parts, now.Sub(l.started).Truncate(time.Second).String()), " · ")
}

// row returns a run as a terminal shows it: title, present action, time and cost.
func (r *runRow) row(now time.Time) terminal.Row {
	row := terminal.Row{Title: cli.CleanLine(r.label), Doing: r.Doing, Figures: []string{elapsed(now.Sub(r.began))}}
	if r.Turns > 0 {
		row.Figures = append(row.Figures, plural.Count(r.Turns, "agent turn"))
	}
	if r.CostUSD > 0 {
		row.Figures = append(row.Figures, memory.Price(r.CostUSD))
	}
	return row
}

func elapsed(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Hour {
		return d.String()
	}
	return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
}
