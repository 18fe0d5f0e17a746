package executor

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"path/filepath"

	"agentflow/internal/filelock"
	"agentflow/internal/repofile"
	"agentflow/memory"
)

// TokenVar names the environment variable of an agent, and of what it starts,
// that proves to our own tools for which run they work. Its id alone proves
// nothing: it stands in memory.
const TokenVar = "AGENTFLOW_RUN_TOKEN"

// tokenFile stands in a run's folder, with the hash of its token.
const tokenFile = "token.sha256"

// newToken makes the token of a run; empty for one without a folder.
func (r *Begun) newToken() {
	if r.Dir != "" {
		r.token = rand.Text()
		r.write(tokenFile, hashOf(r.token))
	}
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// IsAgentOf says whether the run with that id in runsDir is going on, and gave
// its agent this token. A run that cannot be asked did not.
func IsAgentOf(runsDir, id, token string) bool {
	if !memory.IsID(id) || token == "" {
		return false
	}
	dir := filepath.Join(runsDir, id)
	if held, err := filelock.Held(filepath.Join(dir, lockFile)); !held || err != nil {
		return false
	}
	hash, err := repofile.Read(filepath.Join(dir, tokenFile), repofile.NoLink, 2*sha256.Size)
	return err == nil && subtle.ConstantTimeCompare(hash, []byte(hashOf(token))) == 1
}
