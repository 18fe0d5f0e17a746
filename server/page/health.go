package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"agentflow/app/connect"
	"agentflow/app/list"
	"agentflow/app/setup"
)

// healthPage is the view Health.
type healthPage struct {
	connect.StatusResult
	Trends list.TrendsResult
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
	res, err := setup.Status(ctx, q.Memory, setup.StatusRequest{})
	if err != nil {
		return a, err
	}
	trends, err := list.Trends(ctx, q.Memory, list.TrendsRequest{Days: plotDays})
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
