package daemon_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
)

const hourlyIndex = `
[[schedule]]
name = "hourly"
cron = "@hourly"
job = "index"
`

// scheduled returns a repository with settings and a program for its jobs.
func scheduled(t *testing.T, settings, script string) (p *apptest.Place, program string) {
	p = apptest.NewRepository(t)
	p.Write("../home/config/agentflow/config.toml", settings)
	apptest.Must(setup.Init(t.Context(), p.Memory()))(t)
	return p, p.Program("../program", script)
}

func TestRunSchedule(t *testing.T) {
	p, program := scheduled(t, hourlyIndex, "echo did $1\nexit $(cat ../code)")
	m := p.Memory()
	run := func(code string) daemon.RunScheduleResult {
		t.Helper()
		p.Write("../code", code)
		result, err := daemon.RunSchedule(t.Context(), m, daemon.RunScheduleRequest{Name: "hourly", Program: program})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if r := run("0"); r.Outcome.Result != api.JobOK || r.Outcome.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	if r := run("7"); r.Outcome.Result != api.JobFailed || r.Outcome.ExitCode != 7 || r.Outcome.Reason != "did index" || !strings.HasSuffix(r.Log, "hourly.log") {
		t.Errorf("%+v", r)
	}
	found, err := daemon.Schedules(t.Context(), m)
	if err != nil || len(found.Schedules) != 1 || len(found.Schedules[0].History) != 2 || found.Schedules[0].Next == nil {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = daemon.RunSchedule(t.Context(), m, daemon.RunScheduleRequest{Name: "nightly", Program: program})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = daemon.Schedules(t.Context(), apptest.NewRepository(t).Memory())
	apptest.WantKind(t, err, app.KindNoPlace)
}

// A job runs once at a time, and ends with its context.
func TestRunScheduleOnce(t *testing.T) {
	p, program := scheduled(t, hourlyIndex, "trap 'exit 130' INT\necho begun >../begun\nread gate <../gate")
	for _, name := range []string{"begun", "gate"} {
		if err := syscall.Mkfifo(filepath.Join(filepath.Dir(p.Repo), name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := p.Memory()
	ctx, end := context.WithCancel(t.Context())
	over := make(chan daemon.RunScheduleResult, 1)
	go func() {
		result, _ := daemon.RunSchedule(ctx, m, daemon.RunScheduleRequest{Name: "hourly", Program: program})
		over <- result
	}()
	if _, err := os.ReadFile(filepath.Join(filepath.Dir(p.Repo), "begun")); err != nil { // waits for the job
		t.Fatal(err)
	}
	_, err := daemon.RunSchedule(t.Context(), m, daemon.RunScheduleRequest{Name: "hourly", Program: program})
	apptest.WantKind(t, err, app.KindLocked)
	end()
	if r := <-over; r.Outcome.Result != "interrupted" {
		t.Errorf("%+v", r)
	}
}

func TestDaemon(t *testing.T) {
	p, program := scheduled(t, hourlyIndex, "exit 3")
	const due = `{"version": 1, "jobs": {"hourly": {"key": "@hourly", "until": "2026-01-01T00:00:00Z", "history": []}}}`
	p.Write(".git/agentflow/schedule.json", due)
	m := p.Memory()
	once, err := daemon.Daemon(t.Context(), m, daemon.Request{Program: program, Once: true})
	if err == nil || !strings.Contains(err.Error(), "1 job failed") {
		t.Errorf("%+v, %v", once, err)
	}
	p.Write(".git/agentflow/schedule.json", due)
	ctx, sent := apptest.Events(t.Context())
	ctx, end := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		_, err := daemon.Daemon(ctx, m, daemon.Request{Program: program})
		over <- err
	}()
	awaitEvent(t, sent, "hourly: failed in ")
	end()
	if err := <-over; err != nil {
		t.Errorf("ended: %v", err)
	}
}

// A daemon picks up changed settings and schedules by itself. It reports settings
// that cannot be used, and keeps the old ones.
func TestDaemonTakesUpChangedSettings(t *testing.T) {
	p, program := scheduled(t, "", "true")
	p.Write(".git/agentflow/schedule.json",
		`{"version": 1, "jobs": {"often": {"key": "@hourly", "until": "2026-01-01T00:00:00Z", "history": []}}}`) // due since then
	var said labtest.Lines
	ctx, end := context.WithCancel(app.Listen(t.Context(), func(e app.Event) { fmt.Fprintf(&said, "%s: %s\n", e.Kind, e.Text) }))
	over := make(chan error, 1)
	go func() {
		_, err := daemon.Daemon(ctx, p.Memory(), daemon.Request{Program: program})
		over <- err
	}()
	says := func(what string, times int) {
		t.Helper()
		labtest.Await(t, what, func() bool { return strings.Count(said.String(), what) == times })
	}
	says("watching ", 1)
	p.Write(p.SettingsFile(), "[[schedule]]\nname = \"often\"\ncron = \"@hourly\"\njob = \"index\"\n")
	says("took up the changed settings: 1 schedule\n", 1)
	says("often: ok in ", 1)
	p.Write(p.SettingsFile(), "[[schedule]]\nname = \"often\"\ncron = \"whenever\"\njob = \"index\"\n")
	says("warning: the changed settings cannot be used, those before them stay: ", 1)
	p.Write(p.SettingsFile(), "")
	says("took up the changed settings: 0 schedules\n", 1)
	says("watching ", 3) // with the last settings
	p.Write(".agentflow/memory/notes.md", "# Notes\n\nThe daemon goes on watching.\n")
	says("indexed 1 changed file", 1)
	end()
	if err := <-over; err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
}

func TestInstallDaemon(t *testing.T) {
	p, program := scheduled(t, "", "")
	p.Env = append(p.Env, "ANTHROPIC_API_KEY=key", "GEMINI_API_KEY=other", "CODEX_HOME=/srv/codex", "OPENCODE_CONFIG=/srv/opencode.json", "GOOGLE_CLOUD_LOCATION=europe-west4")
	m := p.Memory()
	first, err := daemon.InstallDaemon(t.Context(), m, daemon.InstallDaemonRequest{Program: program, NoRestart: []int{2}})
	if err != nil || !first.Changed || len(first.Commands) != 2 || strings.Join(first.LeftOut, " ") != "ANTHROPIC_API_KEY GEMINI_API_KEY" {
		t.Fatalf("%+v, %v", first, err)
	}
	unit, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"CODEX_HOME=/srv/codex", "OPENCODE_CONFIG=/srv/opencode.json", "GOOGLE_CLOUD_LOCATION=europe-west4"} {
		if !strings.Contains(string(unit), "Environment=\""+set+"\"\n") {
			t.Errorf("the unit lacks %s:\n%s", set, unit)
		}
	}
	if again, err := daemon.InstallDaemon(t.Context(), m, daemon.InstallDaemonRequest{Program: program, NoRestart: []int{2}}); err != nil || again.Changed {
		t.Errorf("%+v, %v", again, err)
	}
	if plan, err := setup.PlanUninstall(t.Context(), m, setup.UninstallRequest{}); err != nil || len(plan.Paths) != 3 {
		t.Errorf("%+v, %v", plan, err)
	}
	if gone, err := daemon.UninstallDaemon(t.Context(), m); err != nil || !gone.Changed || gone.Path != first.Path {
		t.Errorf("%+v, %v", gone, err)
	}
	if err := os.WriteFile(first.Path, []byte("somebody's own"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = daemon.InstallDaemon(t.Context(), m, daemon.InstallDaemonRequest{Program: program})
	apptest.WantKind(t, err, app.KindRefused)
}
