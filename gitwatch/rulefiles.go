package gitwatch

import (
	"errors"
	"strings"
	"sync/atomic"

	"agentflow/internal/repofile"
)

// Bounds of what is read of ignore rules and attributes, in bytes: of one
// file, and of all in one look at a work tree. Every rule is held, and may be
// compared with every path.
const (
	maxRuleFile  = 1 << 20
	maxRuleFiles = 8 << 20
)

// ruleReader reads ignore and attributes files. It is safe for concurrent use.
type ruleReader struct {
	read atomic.Int64 // bytes
}

// text is what stands in a file of rules. None stand where there is no such
// file, and, as to git, in a folder or a link that is not to be followed.
func (r *ruleReader) text(file string, links repofile.Links) (string, error) {
	if file == "" {
		return "", nil
	}
	limit := min(maxRuleFile, maxRuleFiles-r.read.Load())
	data, err := repofile.Read(file, links, max(0, limit))
	if repofile.IsAbsent(err) || errors.Is(err, repofile.ErrNotRegular) {
		return "", nil
	}
	r.read.Add(int64(len(data)))
	return strings.TrimPrefix(string(data), "\ufeff"), err
}
