package modeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Claude returns the environment that makes the Claude CLI use only this
// server, in the form of os/exec's Cmd.Env.
func (s *Server) Claude() []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + s.URL,
		"ANTHROPIC_API_KEY=dummy-key-for-tests",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"NO_PROXY=127.0.0.1",
	}
}

// Programs writes the settings into the home folder that make Codex and
// opencode use only this server, and returns the environment for them and the
// Gemini CLI, in the form of os/exec's Cmd.Env.
func (s *Server) Programs(tb testing.TB, home string) []string {
	tb.Helper()
	for name, text := range map[string]string{
		".codex/config.toml":             fmt.Sprintf(codexConfig, s.URL),
		".config/opencode/opencode.json": fmt.Sprintf(opencodeConfig, s.URL),
		".gemini/settings.json":          geminiSettings,
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return []string{
		"HOME=" + home, "USER=dev", "LANG=C.UTF-8", "TZ=UTC", "NO_PROXY=127.0.0.1", "MODEL_KEY=dummy-key-for-tests",
		"GOOGLE_GEMINI_BASE_URL=" + s.URL, "GEMINI_API_KEY=dummy-key-for-tests",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
}

// codexConfig names a model that Codex knows: with other models it offers no
// apply_patch.
const codexConfig = `model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "Local"
base_url = "%s/v1"
env_key = "MODEL_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 2
[analytics]
enabled = false
[feedback]
enabled = false
`

const opencodeConfig = `{"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled", "model": "local/model", "small_model": "local/model",
"provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "Local", "options": {"baseURL": "%s/v1", "apiKey": "dummy-key-for-tests"},
"models": {"model": {"name": "Local", "tool_call": true, "cost": {"input": 1, "output": 2}, "limit": {"context": 100000, "output": 8000}}}}}}
`

const geminiSettings = `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}
`
