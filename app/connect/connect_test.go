package connect_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	appconnect "agentflow/app/connect"
	"agentflow/app/open"
	"agentflow/app/setup"
	"agentflow/internal/connect"
	"agentflow/internal/testing/settingstest"
)

// connecting is a home with agents' settings, and a program to connect them.
type connecting struct {
	*testing.T
	home    string
	program string
}

func newConnecting(t *testing.T) *connecting {
	t.Helper()
	c := &connecting{T: t, home: t.TempDir()}
	c.program = c.put("bin/agentflow", "#!/bin/sh\n", 0o700)
	return c
}

// put writes a file below the home.
func (c *connecting) put(name, text string, mode fs.FileMode) string {
	c.Helper()
	path := filepath.Join(c.home, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		c.Fatal(err)
	}
	return path
}

func (c *connecting) read(path string) string {
	c.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	return string(text)
}

func (c *connecting) open() *app.Memory {
	c.Helper()
	m, err := open.Open(c.Context(), c.home, app.Env{Vars: []string{"HOME=" + c.home, "USERPROFILE=" + c.home}, Program: c.program})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { m.Close() })
	return m
}

// plan returns the plan of connect or disconnect.
func (c *connecting) plan(agent string, with bool) appconnect.ConnectPlan {
	c.Helper()
	m, req := c.open(), appconnect.ConnectRequest{Agents: []string{agent}, Hooks: true}
	plan, err := appconnect.PlanConnect(c.Context(), m, req)
	if !with {
		plan, err = appconnect.PlanDisconnect(c.Context(), m, req)
	}
	if err != nil {
		c.Fatal(err)
	}
	return plan
}

// connect connects or disconnects an agent, and returns the files that cannot be changed.
func (c *connecting) connect(agent string, with bool) []api.ConnectFile {
	c.Helper()
	plan := c.plan(agent, with)
	if _, err := appconnect.ApplyConnect(c.Context(), c.open(), plan); err != nil {
		c.Fatal(err)
	}
	return plan.Left()
}

func (c *connecting) status(agent string) api.Connection {
	c.Helper()
	found, err := appconnect.ConnectStatus(c.Context(), c.open())
	if err != nil {
		c.Fatal(err)
	}
	i := slices.IndexFunc(found.Connections, func(f api.Connection) bool { return f.Agent == agent })
	return found.Connections[i]
}

// settings returns the files of an agent by path below the home.
func (c *connecting) settings(agent string) (paths []string) {
	h := connect.Home{Getenv: func(string) string { return "" }, Dir: c.home, Program: c.program, Exists: func(string) bool { return false }}
	for _, f := range h.Files(agent) {
		paths = append(paths, f.Path)
	}
	return paths
}

// TestConnectGivesTheBytesBack checks that disconnect restores the original bytes and mode of every
// file that connect changed.
func TestConnectGivesTheBytesBack(t *testing.T) {
	for _, agent := range connect.Agents {
		t.Run(agent, func(t *testing.T) {
			c := newConnecting(t)
			for _, path := range c.settings(agent) {
				texts := settingstest.JSON
				if filepath.Ext(path) == ".toml" {
					texts = settingstest.TOML
				}
				name, err := filepath.Rel(c.home, path)
				if err != nil {
					t.Fatal(err)
				}
				for what, text := range texts {
					c.put(filepath.ToSlash(name), text, 0o644)
					left := c.connect(agent, true)
					if got := c.read(path); len(left) == 0 == (got == text) {
						t.Errorf("%s, %s: left %v, and it holds\n%s", name, what, left, got)
					}
					if state := c.status(agent).State; len(left) == 0 && state != "connected" {
						t.Errorf("%s, %s: %s", name, what, state)
					}
					c.connect(agent, false)
					info, err := os.Stat(path)
					if got := c.read(path); err != nil || got != text || info.Mode().Perm() != 0o644 {
						t.Errorf("%s, %s: %q became %q, %v %v", name, what, text, got, info.Mode(), err)
					}
					if state := c.status(agent).State; state != "not connected" {
						t.Errorf("%s, %s: %s at the end", name, what, state)
					}
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestConnectSeesChanges checks that a file saved between plan and apply is kept, and that text
// saved after connect stays when our lines are removed.
func TestConnectSeesChanges(t *testing.T) {
	const before, saved = "{\n  \"model\": \"sonnet\"\n}\n", "{\n  \"model\": \"haiku\"\n}\n"
	for _, with := range []bool{true, false} {
		c := newConnecting(t)
		path := c.put(".gemini/settings.json", before, 0o600)
		if !with {
			c.connect("gemini", true)
		}
		plan := c.plan("gemini", with)
		c.put(".gemini/settings.json", saved, 0o600)
		_, err := appconnect.ApplyConnect(c.Context(), c.open(), plan)
		var refused *app.Error
		if !errors.As(err, &refused) || refused.Kind != app.KindRefused || refused.Hint == "" || c.read(path) != saved {
			t.Errorf("with %v: %v, and it holds %q", with, err, c.read(path))
		}
		c.connect("gemini", true)
		if got := c.read(path); !strings.Contains(got, "agentflow") {
			t.Errorf("with %v: again: %q", with, got)
		}
		c.put(".gemini/settings.json", strings.Replace(c.read(path), "haiku", "opus", 1), 0o600)
		c.connect("gemini", false)
		if got, want := c.read(path), strings.Replace(saved, "haiku", "opus", 1); got != want {
			t.Errorf("with %v: %q, want %q", with, got, want)
		}
	}
}

// TestConnectAllowing checks that Allowing gives the same plan as PlanConnect with Allow, and that
// it uses the texts that the first plan read.
func TestConnectAllowing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script")
	}
	for _, hooks := range []bool{true, false} {
		c := newConnecting(t)
		c.put(".local/bin/claude", "#!/bin/sh\nexit 0\n", 0o700)
		plan := func(allow bool) appconnect.ConnectPlan {
			p, err := appconnect.PlanConnect(t.Context(), c.open(), appconnect.ConnectRequest{Agents: []string{"claude"}, Hooks: hooks, Allow: allow})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		apply := func(p appconnect.ConnectPlan) error {
			_, err := appconnect.ApplyConnect(t.Context(), c.open(), p)
			return err
		}
		path := c.put(".claude/settings.json", "{}\n", 0o600)
		first := plan(false)
		allowing := first.Allowing()
		if want := plan(true).Change; !first.CanAllow() || allowing.CanAllow() || !reflect.DeepEqual(allowing.Change, want) {
			t.Errorf("hooks %v: %+v, want %+v", hooks, allowing.Change, want)
		}
		if first.Change.Files[0].Path != path || strings.Contains(strings.Join(first.Change.Files[0].Diff, ""), "memory_search") {
			t.Errorf("hooks %v: the first plan changed: %+v", hooks, first.Change)
		}
		c.put(".claude/settings.json", "{\"model\": \"haiku\"}\n", 0o600)
		if err := apply(allowing); app.AsError(err).Kind != app.KindRefused {
			t.Errorf("hooks %v: what was saved meanwhile was not shown: %v", hooks, err)
		}
		c.put(".claude/settings.json", "{}\n", 0o600)
		if err := apply(plan(false)); err != nil || strings.Contains(c.read(path), "memory_search") {
			t.Errorf("hooks %v: %v, %s", hooks, err, c.read(path))
		}
		if err := apply(plan(false).Allowing()); err != nil || !strings.Contains(c.read(path), "memory_search") {
			t.Errorf("hooks %v, connected already: %v, %s", hooks, err, c.read(path))
		}
	}
}

// TestConnectLeaves checks that a file that cannot be changed stays as it is, and that then no
// other file of the agent changes.
func TestConnectLeaves(t *testing.T) {
	for name, make := range map[string]func(c *connecting, path string){
		"a folder":                  func(c *connecting, path string) { c.put(".codex/config.toml/x", "", 0o600) },
		"read-only":                 func(c *connecting, path string) { c.put(".codex/config.toml", "a = 1\n", 0o400) },
		"broken":                    func(c *connecting, path string) { c.put(".codex/config.toml", "a = \n", 0o600) },
		"a link that leads nowhere": func(c *connecting, path string) { symlink(c.T, filepath.Join(c.home, "gone"), path) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newConnecting(t)
			path := c.settings("codex")[1]
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			make(c, path)
			left := c.connect("codex", true)
			if len(left) != 1 || left[0].Path != path || left[0].Why == "" {
				t.Errorf("left %+v", left)
			}
			if _, err := os.Lstat(c.settings("codex")[0]); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("its hooks were written: %v", err)
			}
		})
	}
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

// TestWhatConnectKeeps checks that only the user can read the records of connect, because settings
// hold secrets, and that disconnect removes them.
func TestWhatConnectKeeps(t *testing.T) {
	c := newConnecting(t)
	c.put(".gemini/settings.json", `{"key": "secret"}`, 0o644)
	c.connect("gemini", true)
	keeps := 0
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "connect") {
			return err
		}
		keeps++
		dir, err := os.Stat(filepath.Dir(path))
		info, err2 := os.Stat(path)
		if err != nil || err2 != nil || info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v in %v", path, info.Mode(), dir.Mode())
		}
		return nil
	}
	if err := filepath.WalkDir(c.home, walk); err != nil || keeps != 1 {
		t.Errorf("%d files, %v", keeps, err)
	}
	c.connect("gemini", false)
	keeps = 0
	if err := filepath.WalkDir(c.home, walk); err != nil || keeps != 0 {
		t.Errorf("%d files at the end, %v", keeps, err)
	}
}

// TestConnectionStates checks the states of a connection in status and doctor, and that connect
// repairs them.
func TestConnectionStates(t *testing.T) {
	for state, breaks := range map[string]func(c *connecting){
		"connected": func(c *connecting) {},
		"other": func(c *connecting) {
			c.program = c.put("new/agentflow", "#!/bin/sh\n", 0o700)
		},
		"missing": func(c *connecting) {
			if err := os.Remove(c.program); err != nil {
				c.Fatal(err)
			}
			c.program = c.put("new/agentflow", "#!/bin/sh\n", 0o700)
		},
		"partly": func(c *connecting) {
			if err := os.Remove(c.settings("codex")[1]); err != nil {
				c.Fatal(err)
			}
		},
	} {
		t.Run(state, func(t *testing.T) {
			c := newConnecting(t)
			c.connect("codex", true)
			breaks(c)
			if got := c.status("codex"); got.State != state {
				t.Errorf("%+v", got)
			}
			grade, want := gradeOf(c, "sessions of codex"), api.GradeOK
			if state != "connected" {
				want = api.GradeWarn
			}
			if grade != want {
				t.Errorf("doctor says %v", grade)
			}
			c.connect("codex", true)
			if got := c.status("codex"); got.State != "connected" || got.Program != c.program {
				t.Errorf("then %+v", got)
			}
			if plan := c.plan("codex", true); !plan.Empty() {
				t.Errorf("then there is still to do: %+v", plan.Change)
			}
			c.connect("codex", false)
			for _, path := range c.settings("codex") {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left: %v", path, err)
				}
			}
		})
	}
}

// gradeOf returns the grade of one of doctor's checks.
func gradeOf(c *connecting, name string) api.Grade {
	c.Helper()
	found, err := setup.Doctor(context.WithoutCancel(c.Context()), c.open())
	if err != nil {
		c.Fatal(err)
	}
	for _, check := range found.Checks {
		if check.Name == name {
			return check.Grade
		}
	}
	c.Fatalf("no check %q", name)
	return ""
}
