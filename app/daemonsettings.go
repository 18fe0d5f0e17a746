package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"agentflow/internal/plural"
)

// settingsEvery is how often a daemon looks whether its settings changed.
const settingsEvery = 2 * time.Second

// settingsSeen tells one state of the files that settings come from from
// another.
func (s *site) settingsSeen() string {
	seen := ""
	for _, path := range []string{s.dirs.ConfigFile(), s.ConfigFile(), s.dirs.Trust().Path()} {
		if info, err := os.Stat(path); err == nil {
			seen += fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return seen
}

// renewed waits until the settings change, and returns a daemon that has them;
// nil when ctx ends. Settings that cannot be used are told of, and those before
// them stay.
func (d *daemon) renewed(ctx context.Context) *daemon {
	tick := time.NewTicker(settingsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		seen := d.settingsSeen()
		if seen == d.seen {
			continue
		}
		d.seen = seen
		next, err := d.withNewSettings(ctx)
		if err == nil {
			next.say("took up the changed settings: %s", plural.Count(len(next.loop.Jobs), "schedule"))
			return next
		}
		d.tell("", fmt.Errorf("the changed settings cannot be used, those before them stay: %w", err))
	}
}

// withNewSettings is the daemon with the settings as they are now. Jobs that
// run go on, and its tasks come after them.
func (d *daemon) withNewSettings(ctx context.Context) (*daemon, error) {
	settings, err := d.load(d.Place, d.dirs)
	if err != nil {
		return nil, err
	}
	if err := d.options.overlay(settings); err != nil {
		return nil, err
	}
	renewed := *d.operation // an embedder that is in trouble is told of anew
	renewed.told = nil
	watched, err := renewed.open(ctx, d.Place, d.dirs, settings)
	if err != nil {
		return nil, err
	}
	next, err := watched.newDaemon(ctx, d.held, d.hurry, d.options)
	if err != nil {
		return nil, err
	}
	next.tasks, next.seen = d.tasks, d.seen
	return next, nil
}
