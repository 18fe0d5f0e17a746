package index

import (
	"context"
	"fmt"
)

// Purge removes every chunk of the entries or facts with these ids, and every
// byte that earlier removals left behind. The caller edits the Markdown first.
// The next Sync reads the files again that the removed chunks came from. The
// time is proportional to the size of the index. An index that cannot be
// written, and is kept in memory for now, is removed: the next process builds
// it again.
//
// ErrBusy means that another process was reading or writing all the time. The
// write-ahead log may then still hold the text, so Purge has to be run again.
func (d *DB) Purge(ctx context.Context, ids ...string) error {
	if err := d.Store.Purge(ctx, ids); err != nil {
		return fmt.Errorf("purging %d ids from the index: %w", len(ids), err)
	}
	return nil
}
