package app

import (
	"context"
	"errors"
	"fmt"

	"agentflow/api"
	"agentflow/config"
)

// ConfigRequest asks for every setting.
type ConfigRequest struct{}

// ConfigResult is every setting, in a fixed order.
type ConfigResult struct {
	Values   []api.Setting // also with an error: those that count instead of the wrong ones
	Degraded []string
}

// Config is every setting that counts here, and where each came from, also
// outside a repository.
func (m *Memory) Config(ctx context.Context, _ ConfigRequest) (ConfigResult, error) {
	o := m.begin(ctx)
	place, dirs, err := o.placeOrNone()
	if err != nil {
		return ConfigResult{}, AsError(err)
	}
	settings, err := o.load(place, dirs)
	result := ConfigResult{Degraded: o.all()}
	if settings == nil {
		return result, typed(err)
	}
	for _, v := range settings.Values() {
		result.Values = append(result.Values, api.Setting(v))
	}
	return result, typed(err)
}

// CheckConfigRequest asks for a check of the settings.
type CheckConfigRequest struct{}

// CheckConfigResult is that of settings without a problem.
type CheckConfigResult struct{ Degraded []string }

// CheckConfig returns an error of KindUsage for any problem in the settings,
// also one that other operations only warn of.
func (m *Memory) CheckConfig(ctx context.Context, _ CheckConfigRequest) (CheckConfigResult, error) {
	o := m.begin(ctx)
	settings, err := o.flawlessSettings()
	if err == nil {
		if _, err = o.embedder(settings.Embed); err != nil {
			err = &Error{Kind: KindUsage, Err: fmt.Errorf("checking [embed]: %w", err)}
		}
	}
	return CheckConfigResult{Degraded: o.all()}, typed(err)
}

// ConfigFilesRequest asks where the settings files are.
type ConfigFilesRequest struct{}

// ConfigFilesResult names the settings files. They need not exist.
type ConfigFilesResult struct {
	User       string // the user's own, absolute
	Repository string // absolute; empty outside a repository
	Degraded   []string
}

// ConfigFiles says where settings are read from.
func (m *Memory) ConfigFiles(ctx context.Context, _ ConfigFilesRequest) (ConfigFilesResult, error) {
	o := m.begin(ctx)
	place, dirs, err := o.placeOrNone()
	result := ConfigFilesResult{User: dirs.ConfigFile(), Degraded: o.all()}
	if place.Root != "" {
		result.Repository = place.ConfigFile()
	}
	return result, typed(err)
}

// placeOrNone is place, but no error outside a repository.
func (o *operation) placeOrNone() (config.Place, config.Dirs, error) {
	place, dirs, err := o.place()
	if errors.Is(err, config.ErrNoPlace) {
		err = nil
	}
	return place, dirs, err
}

// flawlessSettings are the settings that count here; any problem in them is an
// error.
func (o *operation) flawlessSettings() (*config.Config, error) {
	place, dirs, err := o.placeOrNone()
	if err != nil {
		return nil, err
	}
	settings, problems, _ := config.Load(o.layers(place, dirs))
	if len(problems) > 0 {
		return settings, &config.BadConfig{Problems: problems}
	}
	return settings, nil
}
