package app

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// place is a folder with a home of its own, whose memory tests ask through the
// exported API alone.
type place struct {
	t   testing.TB
	dir string
	env []string
}

// newRepository is a place that is a git repository with one commit.
func newRepository(t testing.TB) *place {
	p := newFolder(t)
	p.write("README", "start\n")
	p.git("init", "-q")
	p.git("add", ".")
	p.git("commit", "-qm", "start")
	return p
}

// newFolder is a place that is an empty folder.
func newFolder(t testing.TB) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state",
		"XDG_DATA_HOME": home + "/data", "GIT_CONFIG_GLOBAL": home + "/gitconfig", "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value) // git, which the packages below run, looks there too
	}
	p := &place{t: t, dir: filepath.Join(root, "place"), env: os.Environ()}
	p.write("../home/gitconfig", "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n")
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// write makes a file; its path is relative to the folder.
func (p *place) write(path, text string) {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// memory opens the memory of the folder.
func (p *place) memory() *Memory {
	p.t.Helper()
	m, err := Open(p.t.Context(), p.dir, Env{Vars: p.env})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { m.Close() })
	return m
}

// wantKind insists on an error of a kind.
func wantKind(t testing.TB, err error, want Kind) {
	t.Helper()
	known, ok := err.(*Error)
	if !ok || known.Kind != want {
		t.Errorf("want an error of kind %s, have %T %v", want, err, err)
	}
}

// heard is a context whose events are collected.
func heard(ctx context.Context) (context.Context, *[]Event) {
	var events []Event
	return Listen(ctx, func(e Event) { events = append(events, e) }), &events
}

// holds says whether any file below the folder, git's too, or in the home has
// the text in it.
func (p *place) holds(text string) bool {
	p.t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Dir(p.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}
