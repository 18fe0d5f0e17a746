package trust

import (
	"maps"
	"slices"

	"agentflow/app"
)

// acceptMemory accepts the present contents of the files that came with the
// repository.
func acceptMemory(s *app.Repo, u app.Untrusted) error {
	a, err := s.Dirs.MemoryTrust().Of(s.Memory())
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(u.Tracked)) {
		a.Accept(path, u.Tracked[path])
	}
	return s.Dirs.MemoryTrust().Set(s.Memory(), a)
}
