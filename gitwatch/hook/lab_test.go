package hook

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/config"
)

// TestMain keeps the user's git settings out, and is the other programs
// that tests need: a hook that is no script, and one that takes.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "post-") {
		err := os.WriteFile(os.Getenv("RAN"), []byte("program "+strings.Join(os.Args[1:], " ")), 0o600)
		if err != nil {
			os.Exit(1)
		}
		os.Exit(7)
	}
	if dir := os.Getenv(takeAndTell); dir != "" {
		os.Exit(takeForTest(dir))
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": os.DevNull,
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
	} {
		os.Setenv(name, value)
	}
	os.Unsetenv("AGENTFLOW_RUN_ID")
	if dir := os.Getenv(installIn); dir != "" {
		os.Exit(installForTest(dir))
	}
	os.Exit(m.Run())
}

// lab is one test's repository, in a folder with an awkward name.
type lab struct {
	testing.TB
	repo string
	env  []string // in addition to the process's
}

func newLab(t testing.TB) *lab {
	t.Helper()
	name := "a 'b' \"c\" $d\ne é"
	if runtime.GOOS == "windows" {
		name = "a 'b' $d é"
	}
	return newLabIn(t, name)
}

func newLabIn(t testing.TB, name string) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{TB: t, repo: filepath.Join(dir, name)}
	l.run(dir, "git", "init", "-q", "-b", "main", l.repo)
	l.git("commit", "-q", "--allow-empty", "-m", "start")
	return l
}

// try runs a program and returns what it said, and its exit code.
func (l *lab) try(dir, program string, args ...string) (string, int) {
	l.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), l.env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		l.Fatalf("%s %q: %v", program, args, err)
	}
	return strings.TrimSuffix(string(out), "\n"), cmd.ProcessState.ExitCode()
}

func (l *lab) run(dir, program string, args ...string) string {
	l.Helper()
	out, code := l.try(dir, program, args...)
	if code != 0 {
		l.Fatalf("%s %q: exit code %d\n%s", program, args, code, out)
	}
	return out
}

func (l *lab) git(args ...string) string {
	l.Helper()
	return l.run(l.repo, "git", args...)
}

func (l *lab) head(dir string) string {
	l.Helper()
	return l.run(dir, "git", "rev-parse", "HEAD")
}

func (l *lab) place(dir string) config.Place {
	l.Helper()
	place, err := config.Find(dir, "")
	if err != nil {
		l.Fatal(err)
	}
	return place
}

func (l *lab) path(name string) string { return filepath.Join(l.repo, filepath.FromSlash(name)) }

func (l *lab) write(path, text string, mode os.FileMode) {
	l.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) read(path string) string {
	l.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}

// install installs from dir and insists on the states of post-commit and
// post-rewrite, folder by folder.
func (l *lab) install(dir string, want ...State) []Spot {
	l.Helper()
	spots, err := Install(context.Background(), l.place(dir))
	if err != nil {
		l.Fatal(err)
	}
	l.states(spots, want...)
	return spots
}

func (l *lab) look(dir string, want ...State) []Spot {
	l.Helper()
	spots, err := Look(context.Background(), l.place(dir))
	if err != nil {
		l.Fatal(err)
	}
	l.states(spots, want...)
	return spots
}

func (l *lab) states(spots []Spot, want ...State) {
	l.Helper()
	var have []State
	for _, s := range spots {
		have = append(have, s.State)
	}
	if !slices.Equal(have, want) {
		l.Fatalf("states %q, want %q: %+v", have, want, spots)
	}
}

func (l *lab) uninstall(dir string) ([]string, []Left) {
	l.Helper()
	gone, left, err := Uninstall(context.Background(), l.place(dir))
	if err != nil {
		l.Fatal(err)
	}
	return gone, left
}

// taken are the events that were noted since the last time.
func (l *lab) taken(dir string) (all []Event) {
	l.Helper()
	err := Take(l.Context(), l.place(dir).State(), func(events []Event, damaged int) error {
		if damaged != 0 {
			l.Errorf("%d damaged", damaged)
		}
		all = append(all, events...)
		return nil
	})
	if err != nil {
		l.Fatal(err)
	}
	return all
}

// expect takes, and compares with what should have been noted.
func (l *lab) expect(what, dir string, want ...Event) {
	l.Helper()
	got := l.taken(dir)
	for i := range got {
		if got[i].Time.IsZero() {
			l.Errorf("%s: an event without a time: %+v", what, got[i])
		}
		got[i].Time = Event{}.Time
	}
	if !slices.Equal(got, want) {
		l.Errorf("%s: noted\n%+v, want\n%+v", what, got, want)
	}
}

// listing is everything about the hooks in a folder.
func (l *lab) listing(folder string) string {
	l.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		l.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			l.Fatal(err)
		}
		b.WriteString(info.Mode().String() + " " + e.Name())
		path := filepath.Join(folder, e.Name())
		if to, err := os.Readlink(path); err == nil {
			b.WriteString(" -> " + to)
		} else if !e.IsDir() {
			b.WriteString("\n" + l.read(path))
		}
		b.WriteString("\n")
	}
	return b.String()
}
