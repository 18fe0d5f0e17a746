package agenttest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
)

// SayWhatHappened compares the events decoded from recordings with a golden
// file that people have reviewed. brief formats an event as a line, or returns
// "" to skip it. update rewrites the golden file.
func SayWhatHappened(t *testing.T, a Decoding, all map[string][]byte, brief func(agent.Event) string, golden string, update bool) {
	t.Helper()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&got, "-- %s --\n", name)
		for _, ev := range Decode(a, all[name], 100) {
			if line := brief(ev); line != "" {
				fmt.Fprintln(&got, line)
			}
		}
	}
	if update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", &got, want)
	}
}

// Brief formats an event as a line, without the parts that every recording has.
func Brief(ev agent.Event) string {
	text, _, _ := strings.Cut(ev.Text, "\n")
	switch ev.Kind {
	case agent.Asked:
		return "asked " + text
	case agent.Said:
		return "said " + text
	case agent.ToolStarted:
		return fmt.Sprintf("tool %s %s %q writes=%v", ev.Tool, ev.Detail, ev.Paths, ev.Writes)
	case agent.ToolEnded:
		return fmt.Sprintf("ended failed=%v", ev.Failed)
	case agent.Denied:
		return fmt.Sprintf("denied %s writes=%v", text, ev.Writes)
	case agent.Left:
		return "left " + text
	case agent.Result:
		line := fmt.Sprintf("result %q failed=%v turns=%d cost=%g", text, ev.Failed, ev.Turns, ev.CostUSD)
		if ev.Cause != "" {
			line += " cause=" + string(ev.Cause)
		}
		if ev.Tokens != (agent.Tokens{}) {
			line += fmt.Sprintf(" tokens=%v", ev.Tokens)
		}
		return line
	case agent.Retry:
		return fmt.Sprintf("retry %s, %s", text, ev.Detail)
	}
	return ""
}
