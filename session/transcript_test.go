package session

import (
	"bytes"
	"errors"
	"os"
	"testing"

	. "agentflow/internal/testing/sessiontest"
)

// TestTheFileOfASessionChanges: the agent truncates, replaces or moves its own file
// of the session between two turns. Each turn is told once.
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

// TestTheFileOfASessionIsGone: what was read before is told at the session's end.
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
