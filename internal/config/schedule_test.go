package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const twoSchedules = `[[schedule]]
name = "nightly"
cron = "30 2 * * *"
zone = "Europe/Berlin"
job = "consolidate"
jitter = "10m"

[[schedule]]
name = "deps"
cron = "@weekly"
task = "Update the dependencies"
max_cost = 2
max_cost_day = 3.5
catch_up = false
timeout = "1h"
`

func loadUser(t *testing.T, text string) (*Config, []Problem, error) {
	t.Helper()
	return Load(Layers{UserFile: write(t, filepath.Join(t.TempDir(), "user.toml"), text)})
}

func TestSchedules(t *testing.T) {
	c, problems, err := loadUser(t, twoSchedules)
	if err != nil || len(problems) > 0 || len(c.Schedules) != 2 {
		t.Fatalf("%v %v %+v", problems, err, c.Schedules)
	}
	night, deps := c.Schedules[0], c.Schedules[1]
	if night.Job != "consolidate" || night.Jitter != 10*time.Minute || !night.CatchUp || night.What() != "consolidate" {
		t.Errorf("%+v", night)
	}
	if deps.Task == "" || deps.MaxCost != 2 || deps.MaxCostDay != 3.5 || deps.CatchUp || deps.Timeout != time.Hour || deps.What() != "task" {
		t.Errorf("%+v", deps)
	}
	due, err := night.Times()
	if err != nil {
		t.Fatal(err)
	}
	if next, ok := due.Next(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)); !ok || next.UTC().Format("02 15:04") != "22 01:30" {
		t.Errorf("next %v", next)
	}
	if v := value(t, c, "schedule.deps.cron"); v.Value != "@weekly" || !strings.HasSuffix(v.Source, "user.toml") {
		t.Errorf("%+v", v)
	}
	if v := value(t, c, "schedule.nightly.timeout"); v.Source != "default" {
		t.Errorf("%+v", v)
	}
}

// TestBadSchedules checks that a message names the place of the error and its
// kind.
func TestBadSchedules(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"zone", "\n[[schedule]]\nname = \"a\"\ncron = \"@daily\"\njob = \"index\"\nzone = \"Mars/Olympus\"\n", `:6: schedule.zone: want a time zone such as Europe/Berlin or UTC, have "Mars/Olympus"`},
		{"the second's cron", twoSchedules + "[[schedule]]\nname = \"b\"\ncron = \"0 25 * * *\"\njob = \"index\"\n", ":18: schedule.cron: hour: want 0 to 23"},
		{"never", "[[schedule]]\nname = \"a\"\ncron = \"0 0 30 2 *\"\njob = \"index\"\n", ":3: schedule.cron: \"0 0 30 2 *\" is never due"},
		{"both", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\njob = \"index\"\ntask = \"x\"\n", ":1: schedule.a: has both a job and a task"},
		{"neither", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\ntask = \" \"\n", ":1: schedule.a: has neither a job nor a task"},
		{"no cron", "[[schedule]]\nname = \"a\"\njob = \"index\"\n", ":1: schedule.a: has no cron"},
		{"no name", "[[schedule]]\ncron = \"@daily\"\njob = \"index\"\n", ":1: schedule.name: a schedule needs a name"},
		{"twice", twoSchedules + "[[schedule]]\nname = \"Deps\"\ncron = \"@daily\"\njob = \"index\"\n", "user.toml:8 has a schedule \"deps\" already"},
		{"a path", "[[schedule]]\nname = \"../../x\"\ncron = \"@daily\"\njob = \"index\"\n", ":2: schedule.name: want a name of at most 64"},
		{"control characters", "[[schedule]]\nname = \"a\\u001b[2J\"\n", ":2: schedule.name: want a name of at most 64"},
		{"another job", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\njob = \"uninstall\"\n", ":4: schedule.job: want one of consolidate, index, backfill"},
		{"cost of a job", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\njob = \"index\"\nmax_cost = 1\n", ":1: schedule.a: has a job: agent, max_cost and max_cost_day are for a task"},
		{"no such agent", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\ntask = \"x\"\nagent = \"hal\"\n", `:1: schedule.a: there is no agent "hal"`},
		{"jitter", "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\njob = \"index\"\njitter = \"2d\"\n", ":1: schedule.a: want a jitter of at most 1d"},
		{"one bracket", "[schedule]\nname = \"a\"\n", ":1: schedule: want [[schedule]], in double brackets"},
		{"no tables", "schedule = [1, 2]\n", ":1: schedule: want tables, have 1"},
		{"inline", "x = 1\nschedule = [{name = \"a\", cron = \"@never\", job = \"index\"}]\n", ":2: schedule.cron: want @yearly"},
		{"very many", strings.Repeat("[[schedule]]\n", 5000), ":1: schedule: want at most 100 of them, have 5000"},
	} {
		_, _, err := loadUser(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// An unknown key is no more than said, as everywhere.
func TestUnknownKeyOfASchedule(t *testing.T) {
	c, problems, err := loadUser(t, twoSchedules+"nmae = \"x\"\n[schedule.deep]\nx = 1\n")
	if err != nil || len(c.Schedules) != 2 || len(problems) != 2 {
		t.Fatalf("%v %v", problems, err)
	}
	if p := problems[1]; p.Line != 16 || p.Key != "schedule.nmae" || p.Message != "unknown key" {
		t.Errorf("%v", p)
	}
}

// A repository's schedules start nothing until it is trusted.
func TestSchedulesOfARepository(t *testing.T) {
	repo := write(t, filepath.Join(t.TempDir(), "config.toml"), twoSchedules)
	c, problems, err := Load(Layers{RepoFile: repo})
	if err != nil || len(c.Schedules) != 0 || fmt.Sprint(problems) != "["+repo+":1: schedule: "+onlyUsers+"]" {
		t.Errorf("%+v %v %v", c.Schedules, problems, err)
	}
	c, problems, err = Load(Layers{RepoFile: repo, Trusted: sum([]byte(twoSchedules))})
	if err != nil || len(c.Schedules) != 2 || len(problems) > 0 {
		t.Errorf("trusted: %+v %v %v", c.Schedules, problems, err)
	}
}
