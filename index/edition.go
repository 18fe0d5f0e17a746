package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"agentflow/index/store"
)

// Edition returns a name for the state of the index: while the name is the
// same, so are all texts and vectors. The name has no other meaning.
func (d *DB) Edition(ctx context.Context) (name string, err error) {
	err = d.view(ctx, func(_ store.Handle, v store.View) error {
		sum := sha256.Sum256([]byte(v.Edition()))
		name = hex.EncodeToString(sum[:8])
		return v.Err()
	})
	if err != nil {
		return "", fmt.Errorf("reading the index's edition: %w", err)
	}
	return name, nil
}
