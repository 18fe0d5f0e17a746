//go:build e2e

package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// record is the output of a run with --json.
type record struct {
	ID, Task, Outcome, Summary, Model  string
	SessionID                          string `json:"session_id"`
	Success                            bool
	ExitCode                           int `json:"exit_code"`
	Turns                              int
	CostUSD                            float64 `json:"cost_usd"`
	Errors, Denials, Remarks, Degraded []string
	Commits                            []struct{ ID, Subject string }
	Changes, Uncommitted, Meanwhile    []change
	Memories                           []fact
	Hits                               []struct{ Heading string }
	MemoryPath                         string `json:"memory_path"`
}

type change struct {
	Status, Path   string
	Added, Deleted int
}

type fact struct {
	Type, Text string
	Importance float64
	Tags       []string
}

// runJSON runs run --json with the task. Stdout must contain only the object.
func (l *lab) runJSON(code int, args ...string) record {
	l.Helper()
	f := l.run(code, append([]string{"run", "--json"}, args...)...)
	var r record
	if err := json.Unmarshal([]byte(f.stdout), &r); err != nil {
		l.Fatalf("%v in %.2000s\nstderr: %s", err, f.stdout, f.stderr)
	}
	return r
}

// last returns the newest entry of memory.
func (l *lab) last() record {
	l.Helper()
	var list []record
	l.must(json.Unmarshal([]byte(l.run(0, "log", "--json").stdout), &list))
	if len(list) == 0 {
		l.Fatal("memory holds no run")
	}
	return list[0]
}

// memory returns the daily files, all in one.
func (l *lab) memory() string {
	l.Helper()
	files, err := filepath.Glob(filepath.Join(l.project, ".agentflow", "memory", "2*.md"))
	l.must(err)
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		l.must(err)
		all.Write(data)
	}
	return all.String()
}

// entries counts how often a task was recorded.
func (l *lab) entries(task string) int {
	heading := regexp.MustCompile(`(?m)^## \d\d:\d\d ` + regexp.QuoteMeta(task) + `(: [a-z ]+)?$`)
	return len(heading.FindAllString(l.memory(), -1))
}
