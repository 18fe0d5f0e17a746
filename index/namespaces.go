package index

import (
	"context"
	"fmt"

	"agentflow/index/store"
)

// Namespaces returns the namespaces of facts that do not apply to the whole
// project, in no particular order.
func (d *DB) Namespaces(ctx context.Context) (list []string, err error) {
	err = d.view(ctx, func(_ store.Handle, v store.View) error {
		list = v.Namespaces()
		return v.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading the index's namespaces: %w", err)
	}
	return list, nil
}
