package run

import (
	"agentflow/app"
	"agentflow/internal/config"
)

// FlagKey is a flag and the setting that its text overrides. An empty text leaves the setting as it is.
type FlagKey struct{ Flag, Key, Text string }

// Overlay sets the settings that flags override.
func Overlay(settings *config.Config, flags ...FlagKey) error {
	for _, f := range flags {
		if f.Text == "" {
			continue
		}
		if p := settings.SetText("--"+f.Flag, f.Key, f.Text); p != nil {
			return app.Usagef("--%s: %s", f.Flag, p.Message)
		}
	}
	return nil
}
