package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// finish makes everything that is pending true in Markdown, in the order of
// the log. Entries that follow one another into one file are written
// together. What cannot be done stays pending, and the first reason is given.
func (w *writer) finish(ctx context.Context) error {
	if len(w.view.pending) == 0 {
		return nil
	}
	if err := w.Prepare(); err != nil {
		return err
	}
	var errs []error
	var purges []record
	todo := slices.Clone(w.view.pending)
	for len(todo) > 0 && ctx.Err() == nil {
		p := todo[0]
		if p.Op.edits() {
			err := w.change(ctx, p.record)
			if err == nil && p.Op == opPurge {
				purges = append(purges, p.record)
			}
			errs, todo = append(errs, err), todo[1:]
			continue
		}
		var batch []record
		batch, todo = nextBatch(todo)
		if err := w.appendAll(ctx, p.File, batch); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", p.File, err))
		}
	}
	return errors.Join(append(errs, w.scrub(ctx, purges), ctx.Err())...)
}

// nextBatch takes the entries for the file of the first one, up to the next
// edit.
func nextBatch(todo []pending) (batch []record, rest []pending) {
	for i, p := range todo {
		switch {
		case p.Op.edits():
			return batch, append(rest, todo[i:]...)
		case p.File == todo[0].File:
			batch = append(batch, p.record)
		default:
			rest = append(rest, p)
		}
	}
	return batch, rest
}

// lay decides what to append to content so that it holds every record once.
// base is how much of content was there before these records; what follows
// is what an interrupted append left. held says which records content held
// whole.
func lay(content []byte, base int, name string, records []record) (tail []byte) {
	before := slices.Clip(content[:base])
	rest := content[base:]
	for _, r := range records {
		full := append([]byte(joint(before, name)), r.Text...)
		switch {
		case bytes.HasPrefix(rest, full):
			rest = rest[len(full):]
		case bytes.HasPrefix(full, rest):
			tail = append(tail, full[len(rest):]...)
			rest = nil
		}
		before = append(before, full...)
	}
	return tail
}

// follows says whether rest can be what an interrupted append of these
// records left after before.
func follows(before, rest []byte, name string, records []record) bool {
	before = slices.Clip(before)
	for _, r := range records {
		full := append([]byte(joint(before, name)), r.Text...)
		if len(rest) <= len(full) {
			return bytes.HasPrefix(full, rest)
		}
		if !bytes.HasPrefix(rest, full) {
			return false
		}
		rest = rest[len(full):]
		before = append(before, full...)
	}
	return len(rest) == 0
}
