package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"agentflow/app"
)

// healthPage is the view Health.
type healthPage struct {
	app.StatusResult
	Trends app.TrendsResult
	Plots  []plot
	Tags   []tally
}

type tally struct {
	Name  string
	Count int
}

// plotDays is the number of days that plots show.
const plotDays = 30

func health(ctx context.Context, q request) (a answer, err error) {
	res, err := app.Status(ctx, q.Memory, app.StatusRequest{})
	if err != nil {
		return a, err
	}
	trends, err := app.Trends(ctx, q.Memory, app.TrendsRequest{Days: plotDays})
	if err != nil {
		return a, err
	}
	p := healthPage{StatusResult: res, Trends: trends, Plots: plots(trends.Days), Tags: most(trends.Tags, 12)}
	return answer{Title: "Health", Data: p, Degraded: slices.Concat(res.Degraded, res.Status.Degraded, trends.Degraded)}, nil
}

// most returns the largest counts, largest first.
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
