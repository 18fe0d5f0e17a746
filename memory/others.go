package memory

import "strings"

// Prefixes of the paths of hits that are in no file of this memory.
const (
	GlobalLabel  = "global:" // the user's own memory
	TeamLabel    = "team:"   // results of the team's server
	SharedFolder = "shared/" // files of other clones; may follow GlobalLabel
)

// IsOthers reports whether a path of a hit holds names that other people chose: those of their
// clones, their files or their repositories.
func IsOthers(path string) bool {
	return strings.HasPrefix(strings.TrimPrefix(path, GlobalLabel), SharedFolder) || strings.HasPrefix(path, TeamLabel)
}
