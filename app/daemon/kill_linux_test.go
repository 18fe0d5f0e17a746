package daemon_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/internal/testing/labtest"
)

// pastDue is a history in which the task of dearTask is long overdue.
const pastDue = `{"version": 1, "jobs": {"dear": {"key": "0 */6 * * * UTC", "until": "2026-01-01T00:00:00Z", "history": []}}}`

// dueTask returns a lab in which the daemon has a task that is due at once.
func dueTask(t *testing.T, script string) *labtest.Lab {
	l := labtest.New(t, script)
	l.Env = append(l.Env, "USER=tester")
	l.Settings(dearTask)
	l.Agentflow("init")
	l.Write(".git/agentflow/schedule.json", pastDue)
	return l
}

// A daemon that is killed takes its job and the job's agent with it. The next one knows that a run
// was cut off, and counts the run's full cost limit.
func TestKilledDaemonLeavesNothingRunning(t *testing.T) {
	l := dueTask(t, "sh echo $PPID > ../agent\nsilent\n")
	cmd := l.Start("daemon")
	agent := filepath.Join(l.Repo, "../agent")
	labtest.Await(t, "the agent", func() bool { data, _ := os.ReadFile(agent); return strings.HasSuffix(string(data), "\n") })
	pid := strings.TrimSpace(l.Read(agent))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	labtest.Await(t, "the end of the agent", func() bool {
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		return len(line) == 0 // also as a zombie of ours: tests that ran jobs here have made us the heir of orphans
	})

	dear := func() api.Schedule {
		var list []api.Schedule
		l.JSON(&list, "schedule", "list")
		return list[0]
	}
	if o := dear(); o.Running || len(o.History) != 0 {
		t.Errorf("after the kill: %+v", o)
	}
	l.Script("cost 0.4\nsay Spent.\n")
	l.Agentflow("schedule", "run", "dear")
	if o := dear(); o.SpentUSD != 1 || len(o.History) != 2 || o.History[0].Result != "interrupted" || o.History[1].Result != api.JobOK {
		t.Errorf("after the next run: %+v", o)
	}
	var ended *exec.ExitError
	if err := l.Command("schedule", "run", "dear").Run(); !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Errorf("with the day's money spent: %v", err)
	}
	if outcomes := l.Runs(); len(outcomes) != 2 || outcomes[1].Outcome != "interrupted" {
		t.Errorf("runs %+v", outcomes)
	}
}

// A terminated daemon ends its job and records it before it exits.
func TestTerminatedDaemonEndsItsJob(t *testing.T) {
	l := dueTask(t, "write half.txt \"half\\n\"\ntouch ../begun\nsilent\n")
	cmd := l.Start("daemon")
	l.AwaitFile("../begun")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(cmd.Err.String(), "dear: interrupted in ") {
		t.Errorf("%v\n%s", err, &cmd.Err)
	}
	if runs := l.Runs(); len(runs) != 1 || runs[0].Outcome != "interrupted" || len(runs[0].Uncommitted) != 1 {
		t.Errorf("%+v", runs)
	}
}
