package index

import (
	"context"
	"fmt"
)

// Purge removes every chunk of the entries or facts with these ids, and then
// every byte that earlier removals left behind.
// The Markdown has to be edited first. Files whose chunks were removed are
// read again by the next Sync. It takes time in proportion to the index. An
// index that cannot be written, and is kept in memory for now, is removed: the
// next process makes it anew.
//
// ErrBusy means that another process was reading or writing all the while;
// what it pinned may still stand in the log, so Purge has to be run again.
func (d *DB) Purge(ctx context.Context, ids ...string) error {
	if err := d.Store.Purge(ctx, ids); err != nil {
		return fmt.Errorf("purging %d ids from the index: %w", len(ids), err)
	}
	return nil
}
