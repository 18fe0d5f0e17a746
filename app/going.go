package app

import (
	"context"
	"time"

	"agentflow/api"
)

// GoingResult lists the active runs, oldest first.
type GoingResult struct {
	Runs     []api.RunState // never nil
	Degraded []string       // failures that did not stop the operation, one per line; never nil
}

// Going lists the active runs of the repository, in all processes, with the progress of each. Follow starts with the
// same list.
func Going(ctx context.Context, m *Memory) (res GoingResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	if _, _, err := o.place(); err != nil {
		return res, err
	}
	var w runWatch
	w.look(ctx, m, time.Now())
	res.Runs = append([]api.RunState{}, w.going()...)
	return res, nil
}
