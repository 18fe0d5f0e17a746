package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/config"
	"agentflow/schedule"
)

// jobs are the schedules of this repository, ready for a loop.
func (s *site) jobs() ([]schedule.Job, error) {
	var list []schedule.Job
	for _, c := range s.settings.Schedules {
		job, err := s.job(c)
		if err != nil {
			return nil, err
		}
		list = append(list, job)
	}
	return list, nil
}

func (s *site) job(c config.Schedule) (schedule.Job, error) {
	due, err := c.Times()
	if err != nil {
		return schedule.Job{}, fmt.Errorf("schedule %s: %w", c.Name, err)
	}
	return schedule.Job{Name: c.Name, Scope: s.State(), Key: strings.TrimSpace(c.Cron + " " + c.Zone),
		Times: due, Jitter: c.Jitter, CatchUp: c.CatchUp}, nil
}

// scheduled is the schedule of a name.
func (s *site) scheduled(name string) (config.Schedule, error) {
	var names []string
	for _, c := range s.settings.Schedules {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	err := usagef("there is no schedule %q", name)
	err.Hint = "there are " + strings.Join(names, ", ")
	if len(names) == 0 {
		err.Hint = "add [[schedule]] with name, cron and job or task to " + s.dirs.ConfigFile()
	}
	return config.Schedule{}, err
}

// pastOfJobs keeps what became of jobs: beside the log, or in the user's
// folders where that cannot be written.
func (s *site) pastOfJobs() (schedule.Store, error) {
	var failed error
	for _, dir := range s.stateFolders() {
		store := schedule.Store{Dir: dir, Notice: func(what string) { s.degraded("schedule", []string{what}) }}
		if _, err := os.Stat(store.Path()); err == nil {
			return store, nil
		}
		err := probe(dir)
		if err == nil {
			return store, nil
		}
		failed = errors.Join(failed, err)
	}
	return schedule.Store{}, fmt.Errorf("keeping the past of schedules: %w", failed)
}

// jobLog is where what a job said is kept.
func jobLog(store schedule.Store, name string) string {
	return filepath.Join(store.Folder(), name+".log")
}
