package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/duration"
	"agentflow/internal/schedule/times"
)

// Schedule is one [[schedule]]: a job or task that runs unattended.
type Schedule struct {
	Name       string // letters, digits, '.', '_' and '-'; no two differ only in case
	Cron       string // see times.Parse
	Zone       string // IANA name; empty means the system's
	Job        string // consolidate, index or backfill; empty means that Task runs
	Task       string
	Agent      string        // the agent for Task; empty means the default agent
	MaxCost    float64       // US dollars for a run of Task; 0 means the limit of every run
	MaxCostDay float64       // US dollars per day in Zone; 0 means no limit
	Jitter     time.Duration // a run is delayed by at most this, up to maxJitter
	CatchUp    bool          // a missed time is made up for once
	Timeout    time.Duration // 0 means none

	source string
	line   int // line of its [[schedule]]
}

// maxSchedules and maxJitter limit the effect of a mistake or a hostile file.
const (
	maxSchedules = 100
	maxJitter    = 24 * time.Hour
)

// Times returns the times at which the schedule is due. After Load it returns
// no error.
func (s Schedule) Times() (times.Times, error) {
	zone, err := times.Zone(s.Zone)
	if err != nil {
		return times.Times{}, err
	}
	return times.Parse(s.Cron, zone)
}

// What returns the name of the job, or "task".
func (s Schedule) What() string { return cmp.Or(s.Job, "task") }

// keys returns the settings of a schedule, without its name.
func (s *Schedule) keys() []key {
	g, prefix := group{user: true, strict: true}, "schedule."+s.Name+"."
	return []key{
		g.text(prefix+"cron", &s.Cron, "when: five fields, or @hourly, @daily, @weekly, @every 2h …", func(text string) error {
			_, err := times.Parse(text, time.UTC)
			return err
		}),
		g.text(prefix+"zone", &s.Zone, "IANA time zone; empty: the system's. Each wall time is due once, also on nights that clocks change", func(text string) error {
			_, err := times.Zone(text)
			return err
		}),
		g.text(prefix+"job", &s.Job, "consolidate, index or backfill; instead of `task`", oneOf("consolidate", "index", "backfill")),
		g.text(prefix+"task", &s.Task, "the task of a run; instead of `job`"),
		g.text(prefix+"agent", &s.Agent, "the agent of the run; empty: the default one"),
		g.number(prefix+"max_cost", &s.MaxCost, "US dollars a run; 0: as `run.max_cost`", 0, endless),
		g.number(prefix+"max_cost_day", &s.MaxCostDay, "US dollars a day; a run of unknown cost counts with its limit; 0: no limit", 0, endless),
		g.duration(prefix+"jitter", &s.Jitter, "puts a run off by up to this time, by the same for each night and repository; 1d at most"),
		g.boolean(prefix+"catch_up", &s.CatchUp, "runs once what was missed, however often"),
		g.duration(prefix+"timeout", &s.Timeout, "ends it after this time; 0: never"),
	}
}

// takeSchedules applies the [[schedule]] tables of one file and removes them
// from tree.
func (c *Config) takeSchedules(source string, tree map[string]any, lines map[string]int, all bool) []Problem {
	value, ok := tree["schedule"]
	if !ok {
		return nil
	}
	delete(tree, "schedule")
	odd := Problem{Source: source, Line: lines["schedule"], Key: "schedule", Fatal: true}
	list, ok := value.([]any)
	switch {
	case !all:
		odd.Message, odd.Fatal = onlyUsers, false
		return []Problem{odd}
	case !ok:
		odd.Message = "want [[schedule]], in double brackets, for each"
		return []Problem{odd}
	case len(c.Schedules)+len(list) > maxSchedules:
		odd.Message = fmt.Sprintf("want at most %d of them, have %d", maxSchedules, len(c.Schedules)+len(list))
		return []Problem{odd}
	}
	var problems []Problem
	for i, item := range list {
		table, ok := item.(map[string]any)
		if !ok {
			odd.Message = fmt.Sprintf("want tables, have %v", item)
			return append(problems, odd)
		}
		found := c.takeSchedule(source, table, func(field string) int {
			at := fmt.Sprintf("schedule[%d]", i)
			return cmp.Or(lines[at+"."+field], lines[at], lines["schedule"])
		})
		problems = append(problems, found...)
	}
	return problems
}

// takeSchedule applies one table. It leaves out a schedule with a fatal
// problem.
func (c *Config) takeSchedule(source string, table map[string]any, line func(field string) int) []Problem {
	var problems []Problem
	odd := func(field, message string, fatal bool) {
		problems = append(problems, Problem{Source: source, Line: line(field), Key: strings.TrimSuffix("schedule."+field, "."), Message: message, Fatal: fatal})
	}
	name, _ := table["name"].(string)
	if err := c.checkName(name); err != nil {
		odd("name", err.Error(), true)
		return problems
	}
	at := len(c.Schedules)
	c.Schedules = append(c.Schedules, Schedule{Name: name, CatchUp: true, source: source, line: line("")})
	c.byName = nil
	for _, field := range slices.Sorted(maps.Keys(table)) {
		if field == "name" {
			continue
		}
		if p := c.put(source, "schedule."+name+"."+field, table[field], true); p != nil {
			odd(field, p.Message, p.Fatal)
		}
	}
	if fatal(problems) != nil {
		c.Schedules = c.Schedules[:at]
	}
	return problems
}

// scheduleName matches valid names, which are also names of files: no
// separators, and no characters with an effect on terminals.
var scheduleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

func (c *Config) checkName(name string) error {
	if name == "" {
		return errors.New("a schedule needs a name")
	}
	if !scheduleName().MatchString(name) {
		return fmt.Errorf("want a name of at most 64 letters, digits, '.', '_' and '-', have %.80q", name)
	}
	for _, s := range c.Schedules {
		if strings.EqualFold(s.Name, name) {
			return fmt.Errorf("%s:%d has a schedule %q already", s.source, s.line, s.Name)
		}
	}
	return nil
}

// checkSchedules finds invalid combinations of settings, after all layers are
// loaded.
func (c *Config) checkSchedules() []Problem {
	var problems []Problem
	for _, s := range c.Schedules {
		if err := c.checkSchedule(s); err != nil {
			problems = append(problems, Problem{Source: s.source, Line: s.line, Key: "schedule." + s.Name, Message: err.Error(), Fatal: true})
		}
	}
	return problems
}

func (c *Config) checkSchedule(s Schedule) error {
	_, named := c.Agents[s.Agent]
	switch {
	case s.Cron == "":
		return errors.New("has no cron")
	case s.Job == "" && strings.TrimSpace(s.Task) == "":
		return errors.New("has neither a job nor a task")
	case s.Job != "" && s.Task != "":
		return errors.New("has both a job and a task: want one of them")
	case s.Job != "" && (s.Agent != "" || s.MaxCost > 0 || s.MaxCostDay > 0):
		return errors.New("has a job: agent, max_cost and max_cost_day are for a task")
	case s.Agent != "" && !slices.Contains(builtIn, s.Agent) && !named:
		return fmt.Errorf("there is no agent %q: add [agent.%s] argv = […]", s.Agent, s.Agent)
	case s.Jitter > maxJitter:
		return fmt.Errorf("want a jitter of at most %s, have %s", duration.Format(maxJitter), duration.Format(s.Jitter))
	}
	return nil
}
