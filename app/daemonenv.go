package app

import (
	"path/filepath"
	"slices"
	"strings"
)

// passedOn are the variables of this environment that the daemon gets: by
// the first, programs, settings and logins are found, by the others agents and
// embedders reach their services.
var (
	passedOn  = []string{"PATH", "HOME", "USER", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"}
	reachedBy = []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
		"ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE", "CLOUD_ML_REGION",
		"AWS_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "OPENAI_BASE_URL", "OLLAMA_HOST",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)

// heldBack are the variables of agents that hold a secret: others can read the
// file that starts the daemon.
var heldBack = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_FOUNDRY_API_KEY",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "OPENAI_API_KEY"}

// daemonEnviron is what of this environment the daemon gets, and the names of
// those variables that it needs and does not get, as they hold a secret or
// what no such file can hold.
func (s *site) daemonEnviron() (list []variable, left []string) {
	for _, name := range passedOn {
		if value := s.getenv(name); value != "" {
			list = append(list, variable{name, value})
		}
	}
	for _, name := range reachedBy {
		value := s.getenv(name)
		switch {
		case value == "":
		case s.redact.Text(name+"="+value) != name+"="+value || strings.ContainsFunc(value, unprintable):
			left = append(left, name)
		default:
			list = append(list, variable{name, value})
		}
	}
	for _, name := range append(slices.Clone(heldBack), s.settings.Embed.APIKeyEnv) {
		if name != "" && s.getenv(name) != "" && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	return list, left
}

// secretsFile is where systemd looks for variables that are in no unit.
func (s *site) secretsFile() string {
	return filepath.Join(filepath.Dir(s.dirs.ConfigFile()), "daemon.env")
}

// tellLeftOut says which variables the daemon is not started with, and how to
// give them to it.
func (s service) tellLeftOut(a *operation, goos string) {
	if len(s.LeftOut) == 0 {
		return
	}
	names := strings.Join(s.LeftOut, ", ")
	a.say("left out of it, since others can read it: %s", names)
	if goos == "linux" {
		a.hint("the daemon is started with what stands in %s too: write NAME=value lines there, and keep it to yourself with 'chmod 600'", s.Secrets)
		return
	}
	a.hint("'launchctl setenv NAME value' gives a variable to what launchd starts, until you log out; for Claude, 'claude auth login' is enough")
}
