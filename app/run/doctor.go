package run

import (
	"agentflow/app/builtin"
	"agentflow/internal/config"
)

// StartHint returns the hint for an agent that could not be started.
func StartHint(settings *config.Config, agent string) string {
	if _, ok := settings.Agents[agent]; ok {
		return "correct [agent." + agent + "] argv in your settings"
	}
	if b, known := builtin.Named(settings, agent); known {
		return b.InstallHint()
	}
	return "the program after -- must be on PATH, or in the folder that it is named with"
}
