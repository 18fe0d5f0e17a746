package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
)

// Edition names what the index holds: as long as it is the same, so are all
// texts and vectors. It says nothing else.
func (d *DB) Edition(ctx context.Context) (name string, err error) {
	err = d.view(ctx, func(h *handle, c *sql.Conn) error {
		of, err := editionOf(ctx, h, c)
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", of.tables, of.meta))
		name = hex.EncodeToString(sum[:8])
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading the index's edition: %w", err)
	}
	return name, nil
}
