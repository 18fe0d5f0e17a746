package work

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// TestLiveRunsShowHowFarAllIs follows the events of several runs.
func TestLiveRunsShowHowFarAllIs(t *testing.T) {
	c := &cli.Env{Voice: cli.Voice{Live: terminal.New(new(bytes.Buffer), false)}}
	l := &liveRuns{c: c, all: 8, limit: 5, started: time.Now()}
	for n := range 5 {
		l.show(&app.RunEvent{Task: n, Title: fmt.Sprintf("Do part %d", n), Doing: "making its work tree", Line: "a title"})
	}
	l.show(&app.RunEvent{Task: 7, Result: &app.RunResult{Run: api.Run{Outcome: memory.OutcomeFailed, CostUSD: 1.5}}})
	l.show(&app.RunEvent{Task: 0, Line: "branch a"})
	l.show(&app.RunEvent{Task: 0, Doing: "claude: Edit a.go", Turns: 1})
	want := []string{"1 of 8 done · 1 of them not well · 5 running · $1.50 of $5…",
		"[1] Do part 0  claude: Edit a.go · 1m15s · 1 agent turn", "[2] Do part 1  making its work tree · 1m15s", "[3] Do part 2  making its work tree · 1m15s", "… and 2 more"}
	if got := l.view(time.Now().Add(75*time.Second), 59, 5); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestRunRow(t *testing.T) {
	began := time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		event   app.RunEvent
		after   time.Duration
		columns int
		want    string
	}{
		{app.RunEvent{Doing: "recalling"}, 0, 80, "recalling · 0s"},
		{app.RunEvent{Doing: "claude: Bash go test", Turns: 1}, 73 * time.Second, 80, "claude: Bash go test · 1m13s · 1 agent turn"},
		{app.RunEvent{Doing: "claude is working", Turns: 6, CostUSD: 0.04}, 3725 * time.Second, 80, "claude is working · 1h2m · 6 agent turns · $0.04"},
		{app.RunEvent{Doing: "claude is working", Turns: 6, CostUSD: 0.04}, 3725 * time.Second, 46, "claude is work… · 1h2m · 6 agent turns · $0.04"},
		{app.RunEvent{Doing: "claude is working", Turns: 6}, time.Second, 20, "claude is working ·…"},
	} {
		r := &runRow{RunEvent: c.event, began: began}
		if got := r.row(began.Add(c.after)).Line(c.columns); got != c.want || textwidth.Cells(got) > c.columns {
			t.Errorf("%+v in %d columns: %q, want %q", c.event, c.columns, got, c.want)
		}
	}
}
