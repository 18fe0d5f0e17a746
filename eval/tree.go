package eval

import "agentflow/memory"

// tree is the work tree as the commits so far leave it.
type tree map[string]bool

func (t tree) apply(changes []memory.Change) {
	for _, c := range changes {
		if c.Status == memory.StatusRenamed {
			delete(t, c.OldPath)
		}
		if c.Status == memory.StatusDeleted {
			delete(t, c.Path)
			continue
		}
		t[c.Path] = true
	}
}

func (t tree) holds(path string) bool { return t[path] }
