package app

import "agentflow/memory"

// SameFact reports whether two facts of one memory state the same in the same namespace.
func SameFact(a, b memory.Fact) bool { return a.Gist() == b.Gist() }

// makesNeedless reports whether an existing fact makes it unnecessary to store f. It does not if an agent stored the
// existing fact through a tool and f comes from elsewhere: a person then stores the fact in their own name.
func makesNeedless(standing, f memory.Fact) bool {
	return SameFact(standing, f) && (f.ByTool() || !standing.ByTool())
}
