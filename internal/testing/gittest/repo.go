package gittest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory/changeset"
)

// Start is the date of the first git call in these tests; each further call is
// one second later.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Repo is a repository of the real git, isolated from the user's settings.
type Repo struct {
	T     testing.TB
	Dir   string
	Run   string // the run's folder
	Trace bool   // git writes its ref trace there
	Ticks *int
	Extra []string // additional variables for git
}

// New makes an empty repository.
func New(t testing.TB) *Repo {
	t.Helper()
	base := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "gitconfig"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "xdg"))
	f := &Repo{T: t, Dir: filepath.Join(base, "repo"), Run: filepath.Join(base, "run"), Ticks: new(int)}
	Must(t, os.MkdirAll(f.Dir, 0o755))
	Must(t, os.MkdirAll(f.Run, 0o700))
	f.Git("init", "-q", "-b", "main")
	return f
}

// At returns the same repository seen from another work tree.
func (f *Repo) At(dir, run string) *Repo {
	Must(f.T, os.MkdirAll(run, 0o700))
	return &Repo{T: f.T, Dir: dir, Run: run, Ticks: f.Ticks, Trace: f.Trace}
}

// Must ends the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Env returns the environment of the next git call.
func (f *Repo) Env() []string {
	*f.Ticks++
	date := Start.Add(time.Duration(*f.Ticks) * time.Second).Format(time.RFC3339)
	env := append(slices.DeleteFunc(os.Environ(), anotherRepository),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE="+date,
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true")
	if f.Trace {
		env = append(env, "GIT_TRACE_REFS="+filepath.Join(f.Run, "refs.log"))
	}
	return append(env, f.Extra...)
}

// anotherRepository reports whether a variable, set inside a hook, points git
// to another repository. Variables that name settings files are kept.
func anotherRepository(v string) bool {
	return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_CONFIG_GLOBAL=") && !strings.HasPrefix(v, "GIT_CONFIG_NOSYSTEM=")
}

// Try runs git and returns its output.
func (f *Repo) Try(args ...string) (string, error) { return f.TryWith("", args...) }

// TryWith is Try with text on standard input.
func (f *Repo) TryWith(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "maintenance.auto=false", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = f.Dir, f.Env(), strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %v: %w: %s%s", args, err, errs.String(), out.String())
	}
	return out.String(), nil
}

// Git is Try, but an error ends the test.
func (f *Repo) Git(args ...string) string {
	f.T.Helper()
	out, err := f.Try(args...)
	Must(f.T, err)
	return out
}

// Path returns the path of a file by its name in the repository.
func (f *Repo) Path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Write writes a file and creates its folders.
func (f *Repo) Write(name, content string) {
	f.T.Helper()
	Must(f.T, os.MkdirAll(filepath.Dir(f.Path(name)), 0o755))
	Must(f.T, os.WriteFile(f.Path(name), []byte(content), 0o644))
}

// Commit writes files (name, content, …) and commits everything.
func (f *Repo) Commit(message string, files ...string) {
	f.T.Helper()
	for i := 0; i < len(files); i += 2 {
		f.Write(files[i], files[i+1])
	}
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", message)
}

// Now returns the date of the last git call.
func (f *Repo) Now() time.Time { return Start.Add(time.Duration(*f.Ticks) * time.Second) }

// Show formats a list as "M path +1 -2", one per line.
func Show(l changeset.List) string {
	var lines []string
	for _, c := range l.Items {
		s := fmt.Sprintf("%c %s", c.Status, c.Path)
		if c.OldPath != "" {
			s = fmt.Sprintf("%c %s <- %s", c.Status, c.Path, c.OldPath)
		}
		if c.Counted {
			s += fmt.Sprintf(" +%d -%d", c.Added, c.Deleted)
		}
		if c.Note != "" {
			s += " (" + c.Note + ")"
		}
		lines = append(lines, s)
	}
	if l.Unread != "" {
		lines = append(lines, "UNREAD "+l.Unread)
	}
	return strings.Join(lines, "\n")
}

// Want fails the test if two texts differ.
func Want(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.ReplaceAll(got, "\n", "\n     "), strings.ReplaceAll(want, "\n", "\n     "))
	}
}

// Watcher finds the changes between a snapshot and now; gitwatch.Repo is one.
// Its types are parameters so that the tests of gitwatch itself can use it.
type Watcher[Evidence, Changes any] interface {
	Snapshot(ctx context.Context, dir string, since time.Time, trace func()) (json.RawMessage, error)
	Compare(ctx context.Context, before json.RawMessage, ev Evidence) Changes
}

// During takes a snapshot, calls act with the ref trace on, and compares. The
// snapshot is encoded as JSON and decoded again, as in a run's journal.
func During[E, C any](f *Repo, w Watcher[E, C], act func(), evidence func(started time.Time) E) C {
	f.T.Helper()
	before, err := w.Snapshot(f.T.Context(), f.Run, time.Time{}, nil)
	Must(f.T, err)
	*f.Ticks += 10
	started := f.Now()
	f.Trace = true
	act()
	f.Trace = false
	file, err := json.MarshalIndent(before, "", " ")
	Must(f.T, err)
	Must(f.T, json.Unmarshal(file, &before))
	return w.Compare(f.T.Context(), before, evidence(started))
}
