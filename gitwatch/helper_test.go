package gitwatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

// fixed is the date of every commit in these tests; each git call is a second
// later than the one before.
var fixed = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a repository of the real git, cut off from the user's settings.
type fixture struct {
	t     testing.TB
	dir   string
	run   string // the run's folder
	trace bool   // git writes its ref trace there
	ticks *int
	extra []string // more of git's environment
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	base := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "gitconfig"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "xdg"))
	f := &fixture{t: t, dir: filepath.Join(base, "repo"), run: filepath.Join(base, "run"), ticks: new(int)}
	must(t, os.MkdirAll(f.dir, 0o755))
	must(t, os.MkdirAll(f.run, 0o700))
	f.git("init", "-q", "-b", "main")
	return f
}

// at is the same repository seen from another work tree.
func (f *fixture) at(dir, run string) *fixture {
	must(f.t, os.MkdirAll(run, 0o700))
	return &fixture{t: f.t, dir: dir, run: run, ticks: f.ticks, trace: f.trace}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) env() []string {
	*f.ticks++
	date := fixed.Add(time.Duration(*f.ticks) * time.Second).Format(time.RFC3339)
	env := append(gitEnv(os.Environ()),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE="+date,
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true")
	if f.trace {
		env = append(env, "GIT_TRACE_REFS="+filepath.Join(f.run, refsLog))
	}
	return append(env, f.extra...)
}

func (f *fixture) try(args ...string) (string, error) { return f.trySTDIN("", args...) }

func (f *fixture) trySTDIN(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = f.dir, f.env(), strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %v: %w: %s%s", args, err, errs.String(), out.String())
	}
	return out.String(), nil
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	out, err := f.try(args...)
	must(f.t, err)
	return out
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *fixture) write(name, content string) {
	f.t.Helper()
	must(f.t, os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	must(f.t, os.WriteFile(f.path(name), []byte(content), 0o644))
}

// commit writes files (name, content, …) and commits everything.
func (f *fixture) commit(message string, files ...string) {
	f.t.Helper()
	for i := 0; i < len(files); i += 2 {
		f.write(files[i], files[i+1])
	}
	f.git("add", "-A")
	f.git("commit", "-q", "-m", message)
}

func (f *fixture) open() *Repo {
	f.t.Helper()
	r, err := Open(f.dir)
	must(f.t, err)
	return r
}

func (f *fixture) now() time.Time { return fixed.Add(time.Duration(*f.ticks) * time.Second) }

// during takes a snapshot, lets act happen with the ref trace on, and
// compares.
func (f *fixture) during(act func(), change ...func(*Evidence)) ChangeSet {
	f.t.Helper()
	repo := f.open()
	before, err := repo.Snapshot(f.t.Context(), f.run)
	must(f.t, err)
	*f.ticks += 10
	started := f.now()
	f.trace = true
	act()
	f.trace = false
	ev := Evidence{Dir: f.run, Started: started, Ended: f.now()}
	for _, c := range change {
		c(&ev)
	}
	return repo.Compare(f.t.Context(), roundTrip(f.t, before), ev)
}

// roundTrip is what the journal does to a snapshot.
func roundTrip(t testing.TB, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var v json.RawMessage
	b, err := json.MarshalIndent(raw, "", " ")
	must(t, err)
	must(t, json.Unmarshal(b, &v))
	return v
}

// show renders a list as "M path +1 -2", one a line.
func show(l memory.ChangeList) string {
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

func subjectsOf(set ChangeSet) string {
	var s []string
	for _, c := range set.Commits {
		s = append(s, c.Subject)
	}
	return strings.Join(s, ", ")
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.ReplaceAll(got, "\n", "\n     "), strings.ReplaceAll(want, "\n", "\n     "))
	}
}

// gitDiff is what the git binary says about two trees, rendered as show does.
func (f *fixture) gitDiff(a, b string) string {
	f.t.Helper()
	names := fields(f.git("diff", "-M", "--no-ext-diff", "--name-status", "-z", a, b))
	numbers := fields(f.git("diff", "-M", "--no-ext-diff", "--numstat", "-z", a, b))
	var lines []string
	for len(names) > 0 {
		status, path := names[0], names[1]
		names = names[2:]
		head := status + " " + path
		if status[0] == 'R' {
			head = "R " + names[0] + " <- " + path
			path, names = names[0], names[1:]
		}
		count := strings.SplitN(numbers[0], "\t", 3)
		numbers = numbers[1:]
		if count[2] == "" {
			numbers = numbers[2:] // a rename's two names stand on their own
		}
		if count[0] != "-" {
			head += " +" + count[0] + " -" + count[1]
		}
		lines = append(lines, path+"\x00"+head)
	}
	sort.Strings(lines)
	for i, l := range lines {
		_, lines[i], _ = strings.Cut(l, "\x00")
	}
	return strings.Join(lines, "\n")
}

func fields(z string) []string {
	if z == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(z, "\x00"), "\x00")
}
