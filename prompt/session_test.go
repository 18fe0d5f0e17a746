package prompt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

// TestRecentWork: a session begins with at most five lines of recent work, each title once,
// and a failure says why.
func TestRecentWork(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 5, 0, 0, time.UTC)
	work := []Recent{
		{Time: at, Title: "Fix the login", Files: 1, Ref: "aaaaaa"},
		{Time: at, Title: "Run the linter", Failed: "exit 1: unsupported version\nof the configuration" + strings.Repeat(" x", 200), Ref: "bbbbbb"},
		{Time: at.Add(-time.Hour), Title: "Fix the login", Files: 9, Ref: "cccccc"},
		{Time: at, Title: "Commit and push the cache", Files: 1, Denied: "Bash git push: the user said \"not yet\"" + strings.Repeat(" x", 200), Ref: "ffffff"},
	}
	for i := range 9 {
		work = append(work, Recent{Time: at, Title: fmt.Sprint("Task ", i), Files: 2, Ref: "dddddd"})
	}
	text := SessionStart{Limits: Limits{Budget: 1000}, Recent: work, Now: at}.Begin().Text
	_, list, _ := strings.Cut(text, recentHead)
	lines := strings.Split(strings.TrimSuffix(strings.SplitN(list, "</", 2)[0], "\n"), "\n")
	if len(lines) != 5 || lines[0] != `> 2026-11-26 09:05 "Fix the login" (aaaaaa, 1 file)` ||
		!strings.HasPrefix(lines[1], `> 2026-11-26 09:05 "Run the linter": tried, failed: "exit 1: unsupported version of the configuration`) ||
		!strings.HasSuffix(lines[1], `" (bbbbbb)`) || lines[3] != `> 2026-11-26 09:05 "Task 0" (dddddd, 2 files)` ||
		!strings.HasPrefix(lines[2], `> 2026-11-26 09:05 "Commit and push the cache" (ffffff, 1 file; not permitted: "Bash git push: the user said`) || len(lines[2]) > 180 {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if n := memory.Tokens(lines[1]); n > 80 {
		t.Errorf("a failure takes %d tokens", n)
	}
}

// TestOneWayToStore: the text names memory_store if the agent has the tools, and otherwise the tag.
func TestOneWayToStore(t *testing.T) {
	for tools, want := range map[bool]string{true: "memory_store", false: "save_memory"} {
		text := SessionStart{Limits: Limits{Budget: 1000}, Tools: tools}.Begin().Text
		if strings.Contains(text, "memory_store") != tools || !strings.Contains(text, want) || strings.Contains(text, "save_memory") == tools {
			t.Errorf("tools %v: %s", tools, text)
		}
	}
}
