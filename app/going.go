package app

import (
	"context"
	"time"

	"agentflow/api"
)

// GoingResult are the runs that go on, the oldest first.
type GoingResult struct {
	Runs     []api.RunState // never nil
	Degraded []string       // what did not work, a line each; never nil
}

// Going says which runs go on in the repository, in whatever processes, and
// how far each is: as Follow tells one who begins to follow.
func (m *Memory) Going(ctx context.Context) (res GoingResult, err error) {
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
