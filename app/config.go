package app

import (
	"context"
	"errors"

	"agentflow/api"
	"agentflow/config"
)

// ConfigResult is every setting, in a fixed order.
type ConfigResult struct {
	Values   []api.Setting // also with an error: those that count instead of the wrong ones
	Degraded []string
}

// Config is every setting that counts here, and where each came from, also
// outside a repository.
func (m *Memory) Config(ctx context.Context) (result ConfigResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	place, dirs, err := o.placeOrNone()
	if err != nil {
		return result, err
	}
	settings, err := o.load(place, dirs)
	if settings == nil {
		return result, err
	}
	for _, v := range settings.Values() {
		result.Values = append(result.Values, api.Setting(v))
	}
	return result, err
}

// Done is the result of an operation that has nothing to tell but what did not
// work.
type Done struct{ Degraded []string }

// CheckConfig returns an error of KindUsage for any problem in the settings,
// also one that other operations only warn of.
func (m *Memory) CheckConfig(ctx context.Context) (result Done, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	place, dirs, err := o.placeOrNone()
	if err != nil {
		return result, err
	}
	settings, problems, _ := config.Load(o.layers(place, dirs))
	if len(problems) > 0 {
		return result, &config.BadConfig{Problems: problems}
	}
	if _, err := o.embedder(settings.Embed); err != nil {
		return result, usagef("checking [embed]: %w", err)
	}
	return result, nil
}

// ConfigFilesResult names the settings files. They need not exist.
type ConfigFilesResult struct {
	User       string // the user's own, absolute
	Repository string // absolute; empty outside a repository
	Degraded   []string
}

// ConfigFiles says where settings are read from.
func (m *Memory) ConfigFiles(ctx context.Context) (result ConfigFilesResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	place, dirs, err := o.placeOrNone()
	if result.User = dirs.ConfigFile(); place.Root != "" {
		result.Repository = place.ConfigFile()
	}
	return result, err
}

// placeOrNone is place, but no error outside a repository.
func (o *operation) placeOrNone() (config.Place, config.Dirs, error) {
	place, dirs, err := o.place()
	if errors.Is(err, config.ErrNoPlace) {
		err = nil
	}
	return place, dirs, err
}
