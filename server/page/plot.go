package page

import (
	"fmt"
	"time"

	"agentflow/app/list"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// plot is a bar chart with one value per day.
type plot struct {
	Title   string
	Summary string // in words, for people who cannot see the bars
	Bars    []bar  // none if there is nothing to show
	Top     string // the largest value
	From    time.Time
	Width   int
}

// bar is one bar, in units of the picture.
type bar struct {
	X, Y, Height float64
	Hint         string
	Failed       float64 // the part of Height for failures
	FailedY      float64
}

const (
	plotHeight = 60.0
	barStep    = 10
)

// plots returns the plots of runs, cost and facts per day.
func plots(days []list.TrendDay) []plot {
	each := func(value func(list.TrendDay) float64) (list []float64) {
		for _, d := range days {
			list = append(list, value(d))
		}
		return list
	}
	count := each(func(d list.TrendDay) float64 { return float64(d.Runs) })
	failed := each(func(d list.TrendDay) float64 { return float64(d.Failed) })
	cost := each(func(d list.TrendDay) float64 { return d.CostUSD })
	held := each(func(d list.TrendDay) float64 { return float64(d.Facts) })
	number := func(noun string) func(float64) string {
		return func(v float64) string { return plural.Count(int(v), noun) }
	}
	since := days[0].Date
	return []plot{
		draw("Runs a day", runsSaid(sum(count), sum(failed)), count, failed, since, number("run")),
		draw("Cost a day", costSaid(sum(cost)), cost, nil, since, memory.Price),
		draw("Facts that hold", factsSaid(held[len(held)-1]), held, nil, since, number("fact")),
	}
}

func runsSaid(all, failed float64) string {
	switch {
	case all == 0:
		return fmt.Sprintf("No run in the last %d days.", plotDays)
	case failed == 0:
		return fmt.Sprintf("%s in %d days, all ended well", plural.Count(int(all), "run"), plotDays)
	}
	return fmt.Sprintf("%s in %d days, %.0f did not end well", plural.Count(int(all), "run"), plotDays, failed)
}

func costSaid(all float64) string {
	if all == 0 {
		return fmt.Sprintf("No run of the last %d days reported its cost.", plotDays)
	}
	return fmt.Sprintf("%s in %d days", memory.Price(all), plotDays)
}

func factsSaid(now float64) string {
	if now == 0 {
		return "Memory holds no facts yet."
	}
	return fmt.Sprintf("%.0f today", now)
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
	if top == 0 {
		return p
	}
	p.Top = "most " + say(top)
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
