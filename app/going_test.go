package app

import (
	"context"
	"io"
	"testing"
)

// TestGoing checks that a run is listed until it ends.
func TestGoing(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	if res := must(m.Going(t.Context()))(t); res.Runs == nil || len(res.Runs) > 0 {
		t.Errorf("before any run: %+v", res)
	}
	runNow(t, m, "Say hello", "echo hello")
	ctx, cancel := context.WithCancel(t.Context())
	pipe, w := io.Pipe()
	var going GoingResult
	var err error
	go func() {
		_, _ = pipe.Read(make([]byte, 1))
		going, err = p.memory().Going(t.Context())
		cancel()
		_, _ = io.Copy(io.Discard, pipe)
	}()
	req := shellAgent("Wait", "echo ready >&2; exec sleep 100")
	req.Output = w
	must(m.Run(ctx, req))(t)
	if err != nil || len(going.Runs) != 1 || going.Runs[0].Task != "Wait" || going.Runs[0].Doing == "" || going.Runs[0].DurationMS < 0 {
		t.Errorf("while one goes on: %+v %v", going, err)
	}
	if res := must(m.Going(t.Context()))(t); len(res.Runs) > 0 {
		t.Errorf("when it is over: %+v", res.Runs)
	}
}
