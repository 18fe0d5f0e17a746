package lookup

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/memory"
)

// Bounds on the attributes in a fact's comment.
const MaxAttribute = 200 // characters

// ParseNamespace reads a namespace as people write it. For "branch", the current branch, it returns a namespace without
// a name. The opened memory fills in that name, and completes a shortened run id.
func ParseNamespace(value string) (string, error) {
	kind, name, named := strings.Cut(value, "/")
	blank := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	switch {
	case memory.NamespaceOf(value) == memory.ProjectNamespace:
		return memory.ProjectNamespace, nil
	case value == memory.GlobalNamespace || value == memory.TeamNamespace:
		return value, nil
	case value == "branch":
		return memory.BranchNamespace, nil
	case named && name != "" && !blank && utf8.ValidString(name) && len(name) <= MaxAttribute && (kind == "branch" || kind == "run"):
		return value, nil
	}
	return "", fmt.Errorf("want project, branch, branch/NAME, run/ID, team or global, have %q", value)
}
