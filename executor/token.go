package executor

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"path/filepath"

	"agentflow/executor/runfolder"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
	"agentflow/memory"
)

// tokenFile holds, in a run's folder, the hash of its token.
const tokenFile = "token.sha256"

// newToken makes the token of a run. A run without a folder gets none.
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

// IsAgentOf reports whether the run with that id in runsDir is live, and gave its agent this
// token. It returns false if that cannot be determined.
func IsAgentOf(runsDir, id, token string) bool {
	if !memory.IsID(id) || token == "" {
		return false
	}
	dir := filepath.Join(runsDir, id)
	if held, err := filelock.Held(filepath.Join(dir, runfolder.LockFile)); !held || err != nil {
		return false
	}
	hash, err := safefile.Read(filepath.Join(dir, tokenFile), safefile.NoLink, 2*sha256.Size)
	return err == nil && subtle.ConstantTimeCompare(hash, []byte(hashOf(token))) == 1
}
