package upkeep

import (
	"agentflow/app"
	"fmt"
	"os"
)

// SettingsState returns a text that changes when a file of the settings changes.
func SettingsState(s *app.Repo) string {
	seen := ""
	for _, path := range []string{s.Dirs.ConfigFile(), s.ConfigFile(), s.Dirs.Trust().Path()} {
		if info, err := os.Stat(path); err == nil {
			seen += fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return seen
}
