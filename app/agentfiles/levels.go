package agentfiles

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/internal/connect"
	"agentflow/internal/safefile"
)

// MaxSize limits the bytes of a settings file that is read or changed.
const MaxSize = 32 << 20

// ReadLevels reads the settings files of an agent. A file that cannot be read has no effect on the
// agent either.
func ReadLevels(home connect.Home, agent, project string) (levels []connect.Level) {
	for _, l := range home.Levels(agent, project, runtime.GOOS) {
		if more, err := filepath.Glob(strings.TrimSuffix(l.Path, ".json") + ".d/*.json"); err == nil && l.Managed {
			slices.Reverse(more) // the last file overrides the others
			for _, path := range more {
				levels = append(levels, connect.Level{Path: path, Managed: true})
			}
		}
		levels = append(levels, l)
	}
	for i, l := range levels {
		levels[i].Text, _ = safefile.Read(l.Path, safefile.AnyLink, MaxSize)
	}
	return levels
}
