package page

import (
	"fmt"
	"time"

	"agentflow/api"
	"agentflow/memory"
)

// plot is one value a day, as bars.
type plot struct {
	Title   string
	Summary string // in words, for whoever does not see the bars
	Bars    []bar
	From    time.Time
	Width   int
}

// bar is one of them, in units of the picture.
type bar struct {
	X, Y, Height float64
	Hint         string
	Failed       float64 // the part of Height that did not end well
	FailedY      float64
}

const (
	plotHeight = 60.0
	barStep    = 10
)

// plots show runs, cost and facts a day.
func plots(runs []api.Run, facts []api.Fact, since time.Time) []plot {
	count, failed, cost := make([]float64, plotDays), make([]float64, plotDays), make([]float64, plotDays)
	for _, r := range runs {
		if i, ok := dayIndex(r.StartedAt, since); ok {
			count[i]++
			cost[i] += r.CostUSD
			if !r.Success {
				failed[i]++
			}
		}
	}
	held := make([]float64, plotDays)
	for _, f := range facts {
		i, ok := dayIndex(f.Created, since)
		if !ok && f.Created.Before(since) {
			i, ok = 0, true
		}
		if ok {
			held[i]++
		}
	}
	for i := 1; i < plotDays; i++ {
		held[i] += held[i-1]
	}
	number := func(noun string) func(float64) string {
		return func(v float64) string { return fmt.Sprintf("%.0f %s", v, noun) }
	}
	return []plot{
		draw("Runs a day", fmt.Sprintf("%.0f runs in %d days, %.0f of them did not end well", sum(count), plotDays, sum(failed)), count, failed, since, number("runs")),
		draw("Cost a day", memory.Price(sum(cost))+fmt.Sprintf(" in %d days", plotDays), cost, nil, since, memory.Price),
		draw("Facts that hold", fmt.Sprintf("%.0f today", held[plotDays-1]), held, nil, since, number("facts")),
	}
}

// dayIndex is the day of a time, counted from since; ok is false before and
// behind the plot.
func dayIndex(t, since time.Time) (i int, ok bool) {
	for i := range plotDays {
		if t.Before(since.AddDate(0, 0, i+1)) {
			return i, !t.Before(since)
		}
	}
	return 0, false
}

func sum(list []float64) (total float64) {
	for _, v := range list {
		total += v
	}
	return total
}

func draw(title, summary string, values, failed []float64, since time.Time, say func(float64) string) plot {
	p := plot{Title: title, Summary: summary, From: since, Width: plotDays * barStep}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	for i, v := range values {
		b := bar{X: float64(i*barStep) + 1, Hint: since.AddDate(0, 0, i).Format(time.DateOnly) + ": " + say(v)}
		if v > 0 {
			b.Height = max(v/top*plotHeight, 1.5)
		}
		if failed != nil && failed[i] > 0 {
			b.Failed = max(failed[i]/top*plotHeight, 1.5)
		}
		b.Y, b.FailedY = plotHeight-b.Height, plotHeight-b.Failed
		p.Bars = append(p.Bars, b)
	}
	return p
}
