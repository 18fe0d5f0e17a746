package app

import "agentflow/config"

// flagKey is a flag whose text overlays a setting; empty is unset.
type flagKey struct{ flag, key, text string }

// overlay puts flags over the settings, checked as settings are.
func overlay(settings *config.Config, flags ...flagKey) error {
	for _, f := range flags {
		if f.text == "" {
			continue
		}
		if p := settings.Set("--"+f.flag, f.key, f.text); p != nil {
			return usagef("--%s: %s", f.flag, p.Message)
		}
	}
	return nil
}
