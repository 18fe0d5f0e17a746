package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"agentflow/executor/turns"
	. "agentflow/internal/testing/sessiontest"
)

// TestTheFileOfASessionChanges: the agent truncates, replaces or moves its file of the session
// between two turns. Each turn is recorded once.
func TestTheFileOfASessionChanges(t *testing.T) {
	const both = "session: Write the first; then Write the second | | A a A b |"
	for name, change := range map[string]func(p *Player, file string) error{
		"truncated": func(_ *Player, file string) error { return os.Truncate(file, 0) },
		"cut to its last line": func(_ *Player, file string) error {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
			return os.WriteFile(file, append(lines[len(lines)-1], '\n'), 0o600)
		},
		"another, which is longer": func(p *Player, file string) error {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, append([]byte(`{"type":"summary","summary":"what was said"}`+"\n"), data...), 0o600)
		},
		"doubled": func(_ *Player, file string) error {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, append(data, data...), 0o600)
		},
		"rotated": func(_ *Player, file string) error { return os.Rename(file, file+".1") },
		"removed": func(_ *Player, file string) error { return os.Remove(file) },
		"moved": func(p *Player, file string) error {
			p.Moved = file + ".moved"
			return os.Rename(file, p.Moved)
		},
		"a folder, and another file": func(p *Player, file string) error {
			p.Moved = file + ".moved"
			return errors.Join(os.Rename(file, file+".1"), os.Mkdir(file, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.failing = true
			p := l.player()
			p.Start("startup")
			p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
			if err := change(p, p.Transcript()); err != nil {
				t.Fatal(err)
			}
			p.Turn("Write the second", Write("b", "x\n"), Say("Done again."))
			p.End("other")
			l.want(both)
		})
	}
}

// TestTheFileOfASessionIsGone: the part that was read before is recorded at the session's end.
func TestTheFileOfASessionIsGone(t *testing.T) {
	l := newLab(t)
	l.failing = true
	p := l.player()
	p.Start("startup")
	p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
	file := p.Transcript()
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	p.End("other")
	l.want("session: Write the first | | A a |")
}

// TestTheClockIsSet: if the times of its lines jump, the order of the agent's file counts. No
// turn is lost, and the entry's times are from our clock.
func TestTheClockIsSet(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, skews := range map[string][]time.Duration{
		"back by an hour":   {0, -time.Hour, -time.Hour},
		"back by a year":    {0, -year, 0},
		"ahead":             {year, year, year},
		"ahead, and back":   {time.Hour, 0, 0},
		"back and forth":    {year, -year, time.Hour},
		"ahead in the last": {0, 0, year},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.player()
			p.Start("startup")
			for i, file := range []string{"a", "b", "c"} {
				p.Skew = skews[i]
				p.Turn("Write "+file, Write(file, "x\n"), Say("Done."))
			}
			l.restWell(p)
			l.want("session: Write a; then Write b; then Write c | | A a A b A c |")
			now := time.Now()
			if e := l.entries()[0]; e.Time.After(now) || now.Sub(e.Time) > time.Hour || e.Result.Duration > time.Hour {
				t.Errorf("the entry is of %v, and took %v", e.Time, e.Result.Duration)
			}
			p.Skew = 0
			p.Turn("Write d", Write("d", "x\n"), Say("Done."))
			p.End("other")
			l.want("session: Write a; then Write b; then Write c | | A a A b A c |", "session: Write d | | A d |?")
		})
	}
}

// TestTheClockJumpsBeforeWorkIsDone: all turns are read at once, or the entry is due at the
// end of a turn from the future.
func TestTheClockJumpsBeforeWorkIsDone(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	l.later = true
	for i, file := range []string{"a", "b", "c"} {
		p.Skew = []time.Duration{0, 2 * time.Hour, -time.Hour}[i]
		p.Turn("Write "+file, Write(file, "x\n"), Say("Done."))
	}
	l.drop()
	l.later = false
	p.Skew = time.Hour
	p.Turn("Commit it", Commit("all", "a", "b", "c"), Say("Done."))
	l.want("session: all; then Write b; then Write c | A a A b A c | | | commit all")
}

// TestTheSystemClockIsSetBack: a session began an hour ago by its first hook, although that
// time is in the future by the clock.
func TestTheSystemClockIsSetBack(t *testing.T) {
	for name, begun := range map[string]bool{"before the first segment": false, "in the first segment": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			p := l.player()
			l.later = true
			p.Start("startup")
			left := l.left
			l.drop()
			file := l.Path(".git/agentflow/sessions/claude-" + p.ID + "/heard.json")
			var heard turns.Heard
			err := json.Unmarshal([]byte(l.Read(file)), &heard)
			heard.At = heard.At.Add(time.Hour)
			data, jsonErr := json.Marshal(heard)
			if err := errors.Join(err, jsonErr, os.WriteFile(file, data, 0o600)); err != nil {
				t.Fatal(err)
			}
			if l.later = false; begun {
				l.left = left
				l.work()
			}
			p.Turn("Write a", Write("a", "x\n"), Say("Done."))
			p.Turn("Write b", Write("b", "x\n"), Say("Done."))
			p.End("other")
			l.want("session: Write a; then Write b | | A a A b |")
			if e := l.entries()[0]; e.Time.After(time.Now()) {
				t.Errorf("the entry is of %v", e.Time)
			}
		})
	}
}
