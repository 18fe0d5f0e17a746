package turn

import (
	"context"
	"errors"
	"fmt"
	"os"

	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/options"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/view"
)

// Logs are the two logs: that of State, and that of Fallback for when State cannot be written.
type Logs struct {
	*options.Place
	Main, Spare journal.Log
}

// LogsOf returns the logs of a place.
func LogsOf(o *options.Place) Logs {
	return Logs{o, journal.Log{Dir: o.State, Sys: o.Sys, KeepParent: true}, journal.Log{Dir: o.Fallback, Sys: o.Sys}}
}

// Append puts records into the log of State, or of Fallback if that cannot be written. In that case
// spare is true and err says why.
func (l Logs) Append(ctx context.Context, durable bool, records ...journal.Record) (at journal.Stretch, spare bool, err error) {
	at, err = l.Main.Append(ctx, durable, records...)
	if err == nil || l.Fallback == "" || ctx.Err() != nil {
		return at, false, err
	}
	if _, e := l.Spare.Append(ctx, durable, records...); e != nil {
		return journal.Stretch{}, false, errors.Join(err, e)
	}
	return journal.Stretch{}, true, err
}

// FallbackLogged reports whether the log of Fallback holds records.
func (l Logs) FallbackLogged() bool {
	if l.Fallback == "" {
		return false
	}
	info, err := os.Stat(l.Spare.Path())
	return err == nil && info.Size() > 0
}

// Checkpointed reports whether the log of State has a checkpoint.
func (l Logs) Checkpointed() bool {
	_, err := os.Stat(l.Main.Checkpoint())
	return err == nil
}

// Logged replays the log without taking a lock.
func (l Logs) Logged(ctx context.Context) (*view.View, error) {
	v := view.New()
	if _, err := v.Load(ctx, l.Main); err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	return v, nil
}

// Waiting returns a view that holds the pending records of a log.
func (l Logs) Waiting(ctx context.Context, of journal.Log) (*view.View, error) {
	if last := seen.Read(l.State, false); last != nil && of.Dir == l.State {
		if v, _, err := l.unfinished(ctx, last); v != nil || err != nil {
			return v, err
		}
	}
	v := view.New()
	_, err := v.Load(ctx, of)
	return v, err
}

// unfinished replays the part of the log after the position that was last seen, and returns the
// position it reached. It returns no view if the log is another one. The view does not know the
// files.
func (l Logs) unfinished(ctx context.Context, last *seen.Seen) (*view.View, journal.Position, error) {
	data, same, err := l.Main.After(ctx, last.Pos)
	if err != nil || !same {
		return nil, journal.Position{}, err
	}
	v, pos := view.New(), last.Pos
	for tomb := range last.Tombs {
		v.Tombs[tomb] = true
	}
	pos.Offset, v.Damaged = journal.Each("log", data, pos.Offset, v.Apply)
	return v, pos, nil
}

// CaughtUp reports whether everything in the log up to target is in Markdown. The first call, and
// one that finds another log, sets target to the end of the log.
func (l Logs) CaughtUp(target *journal.Position) (Report, bool) {
	last := seen.Read(l.State, false)
	if last == nil || seen.DirChanged(last, l.Memory) || l.FallbackLogged() {
		return Report{}, false
	}
	report := Report{Vanished: last.Gone}
	if target.Gen != "" && target.Gen == last.Pos.Gen {
		return report, last.Pos.Offset >= target.Offset
	}
	end, err := l.Main.End()
	if err != nil || end.Gen == last.Pos.Gen && end.Offset < last.Pos.Offset { // the log was cut
		return Report{}, false
	}
	*target = end
	return report, last.Pos == end
}
