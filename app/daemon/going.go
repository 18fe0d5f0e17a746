package daemon

import (
	"context"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/run"
)

// Going lists the active runs of the repository, in all processes, with the progress of each. Follow starts with the
// same list.
func Going(ctx context.Context, m *app.Memory) (res run.GoingResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	if _, _, err := o.Place(); err != nil {
		return res, err
	}
	var w runWatch
	w.look(ctx, m, time.Now())
	res.Runs = append([]api.RunState{}, w.going()...)
	return res, nil
}
