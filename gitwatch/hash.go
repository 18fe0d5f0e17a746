package gitwatch

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// hashLarge hashes a file without holding it, size being its length. It ends
// early when ctx does.
func hashLarge(ctx context.Context, ids git.Algorithm, path string, size int64) (string, error) {
	f, err := repofile.Open(path, repofile.NoLink)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := ids.Object("blob", size)
	n, err := io.Copy(h, contextReader{ctx, f})
	if err != nil {
		return "", err
	}
	if n != size {
		return "", fmt.Errorf("%s changed while it was read", path)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
