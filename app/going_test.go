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
	if res := must(Going(t.Context(), m))(t); res.Runs == nil || len(res.Runs) > 0 {
		t.Errorf("before any run: %+v", res)
	}
	runNow(t, m, "Say hello", "echo hello")
	ctx, cancel := context.WithCancel(t.Context())
	pipe, w := io.Pipe()
	var going GoingResult
	var err error
	go func() {
		_, _ = pipe.Read(make([]byte, 1))
		going, err = Going(t.Context(), p.memory())
		cancel()
		_, _ = io.Copy(io.Discard, pipe)
	}()
	req := shellAgent("Wait", "echo ready >&2; exec sleep 100")
	req.Output = w
	must(Run(ctx, m, req))(t)
	if err != nil || len(going.Runs) != 1 || going.Runs[0].Task != "Wait" || going.Runs[0].Doing == "" || going.Runs[0].DurationMS < 0 {
		t.Errorf("while one goes on: %+v %v", going, err)
	}
	if res := must(Going(t.Context(), m))(t); len(res.Runs) > 0 {
		t.Errorf("when it is over: %+v", res.Runs)
	}
}
