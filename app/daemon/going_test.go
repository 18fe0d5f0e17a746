package daemon_test

import (
	"context"
	"io"
	"testing"

	"agentflow/app/daemon"
	"agentflow/app/run"
	"agentflow/internal/testing/apptest"
)

// TestGoing checks that a run is listed until it ends.
func TestGoing(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	if res := apptest.Must(daemon.Going(t.Context(), m))(t); res.Runs == nil || len(res.Runs) > 0 {
		t.Errorf("before any run: %+v", res)
	}
	apptest.RunNow(t, m, "Say hello", "echo hello")
	ctx, cancel := context.WithCancel(t.Context())
	pipe, w := io.Pipe()
	var going run.GoingResult
	var err error
	go func() {
		_, _ = pipe.Read(make([]byte, 1))
		going, err = daemon.Going(t.Context(), p.Memory())
		cancel()
		_, _ = io.Copy(io.Discard, pipe)
	}()
	req := apptest.ShellAgent("Wait", "echo ready >&2; exec sleep 100")
	req.Output = w
	apptest.Must(run.Run(ctx, m, req))(t)
	if err != nil || len(going.Runs) != 1 || going.Runs[0].Task != "Wait" || going.Runs[0].Doing == "" || going.Runs[0].DurationMS < 0 {
		t.Errorf("while one goes on: %+v %v", going, err)
	}
	if res := apptest.Must(daemon.Going(t.Context(), m))(t); len(res.Runs) > 0 {
		t.Errorf("when it is over: %+v", res.Runs)
	}
}
