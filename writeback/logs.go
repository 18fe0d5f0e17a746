package writeback

import (
	"context"
	"errors"
	"fmt"
	"os"

	"agentflow/writeback/internal/journal"
)

// logs are the two logs: that of State, and that of Fallback for when State cannot be written.
type logs struct {
	*Place
	main, fallback journal.Log
}

func logsOf(o *Place) logs {
	return logs{o, journal.Log{Dir: o.State, Sys: o.sys, KeepParent: true}, journal.Log{Dir: o.Fallback, Sys: o.sys}}
}

// append puts records into the log of State, or of Fallback if that cannot be written. In that case
// spare is true and err says why.
func (l logs) append(ctx context.Context, durable bool, records ...journal.Record) (at journal.Stretch, spare bool, err error) {
	at, err = l.main.Append(ctx, durable, records...)
	if err == nil || l.Fallback == "" || ctx.Err() != nil {
		return at, false, err
	}
	if _, e := l.fallback.Append(ctx, durable, records...); e != nil {
		return journal.Stretch{}, false, errors.Join(err, e)
	}
	return journal.Stretch{}, true, err
}

// fallbackLogged reports whether the log of Fallback holds records.
func (l logs) fallbackLogged() bool {
	if l.Fallback == "" {
		return false
	}
	info, err := os.Stat(l.fallback.Path())
	return err == nil && info.Size() > 0
}

func (l logs) checkpointed() bool {
	_, err := os.Stat(l.main.Checkpoint())
	return err == nil
}

// logged replays the log without taking a lock.
func (l logs) logged(ctx context.Context) (*view, error) {
	v := newView()
	if _, err := v.load(ctx, l.main); err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	return v, nil
}

// waiting returns a view that holds the pending records of a log.
func (l logs) waiting(ctx context.Context, of journal.Log) (*view, error) {
	if last := readSeen(l.State, false); last != nil && of.Dir == l.State {
		if v, _, err := l.unfinished(ctx, last); v != nil || err != nil {
			return v, err
		}
	}
	v := newView()
	_, err := v.load(ctx, of)
	return v, err
}

// unfinished replays the part of the log after the position that was last seen, and returns the
// position it reached. It returns no view if the log is another one. The view does not know the
// files.
func (l logs) unfinished(ctx context.Context, last *seen) (*view, journal.Position, error) {
	data, same, err := l.main.After(ctx, last.pos)
	if err != nil || !same {
		return nil, journal.Position{}, err
	}
	v, pos := newView(), last.pos
	for tomb := range last.tombs {
		v.tombs[tomb] = true
	}
	pos.Offset, v.damaged = journal.Each("log", data, pos.Offset, v.apply)
	return v, pos, nil
}

// caughtUp reports whether everything in the log up to target is in Markdown. The first call, and
// one that finds another log, sets target to the end of the log.
func (l logs) caughtUp(target *journal.Position) (Report, bool) {
	last := readSeen(l.State, false)
	if last == nil || dirChanged(last, l.Memory) || l.fallbackLogged() {
		return Report{}, false
	}
	report := Report{Vanished: last.gone}
	if target.Gen != "" && target.Gen == last.pos.Gen {
		return report, last.pos.Offset >= target.Offset
	}
	end, err := l.main.End()
	if err != nil || end.Gen == last.pos.Gen && end.Offset < last.pos.Offset { // the log was cut
		return Report{}, false
	}
	*target = end
	return report, last.pos == end
}
