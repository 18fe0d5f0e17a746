package page

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/app"
)

// healthPage is the view Health.
type healthPage struct {
	app.StatusResult
	Stats   api.Stats
	Holding int // facts that hold, also those that a person wrote without an id
	Plots   []plot
	Tags    []tally
}

type tally struct {
	Name  string
	Count int
}

// plotDays is how many days back plots show.
const plotDays = 30

func health(ctx context.Context, q request) (a answer, err error) {
	res, err := q.Memory.Status(ctx, app.StatusRequest{})
	if err != nil {
		return a, err
	}
	a = answer{Title: "Health", Degraded: slices.Concat(res.Degraded, res.Status.Degraded)}
	stats, err := q.Memory.Stats(ctx)
	if err != nil {
		return a, err
	}
	p := healthPage{StatusResult: res, Stats: stats.Stats, Tags: most(stats.Tags, 12)}
	since := startOfDay(q.now).AddDate(0, 0, 1-plotDays)
	log, err := q.Memory.Log(ctx, app.LogRequest{Since: since})
	if err != nil {
		return a, err
	}
	held, err := q.Memory.List(ctx, app.ListRequest{})
	if err != nil {
		return a, err
	}
	p.Holding = len(held.Facts)
	p.Plots = plots(log.Runs, held.Facts, since)
	a.Data = p
	a.Degraded = slices.Concat(a.Degraded, stats.Degraded, log.Degraded, held.Degraded)
	return a, nil
}

func startOfDay(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// most are the largest counts, the largest first.
func most(counts map[string]int, limit int) (list []tally) {
	for name := range maps.Keys(counts) {
		list = append(list, tally{name, counts[name]})
	}
	slices.SortFunc(list, func(a, b tally) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list[:min(limit, len(list))]
}
