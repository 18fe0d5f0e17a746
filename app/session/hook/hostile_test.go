package hook

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"agentflow/app"
	. "agentflow/internal/testing/sessiontest"
)

// TestInputWithoutAnEnd: an agent that does not close a hook's input waits for it no
// longer than for any other.
func TestInputWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		Hook(t.Context(), Options{In: r, Out: io.Discard, Agent: "claude", Open: func(string) (*app.Memory, error) {
			t.Error("something was opened")
			return nil, os.ErrInvalid
		}})
	})
}

// TestInputIsReadToItsEnd: an agent that cannot write all of it would take the
// hook for a failure.
func TestInputIsReadToItsEnd(t *testing.T) {
	in := bytes.NewReader(append([]byte(`{"session_id":"s","prompt":"`), make([]byte, maxInput+5)...))
	if _, err := readInput(in); err == nil || in.Len() > 0 {
		t.Errorf("%v, and %d bytes are left", err, in.Len())
	}
}

// TestLinksInASessionsFolder: no hook writes through a link.
func TestLinksInASessionsFolder(t *testing.T) {
	for _, name := range []string{"", "session.json", "shown.jsonl", "heard.json", "turn", "refs.log", "lock", "tell.jsonl", "said.jsonl"} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			p := l.player()
			folder := filepath.Join(l.Path(".git/agentflow/sessions"), "claude-"+p.ID)
			outside := filepath.Join(t.TempDir(), "outside")
			err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700)
			if name == "" {
				err = os.Mkdir(outside, 0o700)
			} else if err == nil {
				err = os.WriteFile(outside, []byte("precious"), 0o600)
			}
			if err == nil {
				err = os.Symlink(outside, filepath.Join(folder, name))
			}
			if err != nil {
				t.Skip(err)
			}
			l.failing = true
			p.Start("startup")
			p.Turn("Write a file", Write("a", "x\n"), Say("Done."))
			p.End("other")
			if name == "" {
				if items, err := os.ReadDir(outside); err != nil || len(items) > 0 {
					t.Errorf("%v %v", items, err)
				}
				return
			}
			if text, err := os.ReadFile(outside); err != nil || string(text) != "precious" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
}

// TestDamagedPositions: a session with impossible reading positions is read again, and each
// turn is recorded once.
func TestDamagedPositions(t *testing.T) {
	for _, damage := range []string{`{`, `[]`, `{"events":-1}`, `{"events":99999999999}`, "negative"} {
		l := newLab(t)
		p := l.player()
		p.Start("startup")
		p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
		if damage == "negative" {
			data, err := json.Marshal(map[string]any{"events": 0, "files": map[string]int{p.Transcript(): -5}})
			if err != nil {
				t.Fatal(err)
			}
			damage = string(data)
		}
		names, err := filepath.Glob(l.Path(".git/agentflow/runs/*/read.json"))
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		if err := os.WriteFile(names[0], []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Turn("Write the second", Write("b", "x\n"), Say("Done."))
		p.End("other")
		l.want("session: Write the first; then Write the second | | A a A b |")
	}
}

// TestInsideTheGitDirectory: without a prompt and a possible snapshot, there is nothing to
// record.
func TestInsideTheGitDirectory(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Dir = l.Path(".git")
	p.Start("startup")
	p.Dir = l.Repo
	p.End("other")
	l.want()
}
