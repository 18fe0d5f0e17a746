//go:build e2e

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/modeltest"
)

// caseLimit is far above the time of any case, so that a hang is a failure
// and not a stuck test.
const caseLimit = 90 * time.Second

// lab is one case's world: a home, a repository in it, and a model.
type lab struct {
	*testing.T
	tools
	home, project, temp string
	server              *modeltest.Server
	extra               []string // environment in addition to the server's
}

func newLab(t *testing.T, tools tools) *lab {
	root, err := filepath.EvalSymlinks(t.TempDir())
	l := &lab{T: t, tools: tools, home: filepath.Join(root, "home"), temp: t.TempDir()}
	l.must(err)
	l.project = filepath.Join(l.home, "src", "project")
	bin := filepath.Join(root, "home", "bin")
	for _, dir := range []string{l.project, bin} {
		l.must(os.MkdirAll(dir, 0o755))
	}
	l.must(os.Symlink(tools.claude, filepath.Join(bin, "claude")))
	l.write("main.go", "package main\n\nfunc main() { println(\"hello\") }\n")
	l.git("init", "-q", "-b", "main")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "start")
	t.Cleanup(func() {
		for _, p := range l.processes() {
			t.Errorf("a process of the run was left: %s", p)
		}
	})
	return l
}

// answer starts the model with a script.
func (l *lab) answer(script modeltest.Script) { l.server = modeltest.New(l.T, script) }

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// arrived waits until the model was asked n times.
func (l *lab) arrived(n int) {
	l.Helper()
	select {
	case <-l.server.Arrived(n):
	case <-time.After(caseLimit):
		l.Fatalf("the server was not asked %d times within %v", n, caseLimit)
	}
}

// write makes a file; name is relative to the project.
func (l *lab) write(name, text string) {
	l.Helper()
	path := filepath.Join(l.project, name)
	l.must(os.MkdirAll(filepath.Dir(path), 0o755))
	l.must(os.WriteFile(path, []byte(text), 0o644))
}

func (l *lab) read(name string) string {
	l.Helper()
	data, err := os.ReadFile(filepath.Join(l.project, name))
	l.must(err)
	return string(data)
}

// config writes the user's config.
func (l *lab) config(text string) {
	l.Helper()
	dir := filepath.Join(l.home, ".config", "agentflow")
	l.must(os.MkdirAll(dir, 0o755))
	l.must(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o644))
}

func (l *lab) git(args ...string) string {
	l.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.project, l.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// env returns the environment of a user's shell: nothing of the machine but PATH,
// and the traces of a Claude session that agentflow itself was started from.
func (l *lab) env() []string {
	env := []string{
		"PATH=" + filepath.Join(l.home, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + l.home, "USERPROFILE=" + l.home, "USER=dev", "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1",
		"XDG_CONFIG_HOME=" + filepath.Join(l.home, ".config"), "XDG_STATE_HOME=" + filepath.Join(l.home, ".local", "state"),
		"XDG_DATA_HOME=" + filepath.Join(l.home, ".local", "share"), "XDG_CACHE_HOME=" + filepath.Join(l.home, ".cache"),
		"TMPDIR=" + l.temp,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com",
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli",
	}
	if l.server != nil {
		env = append(env, l.server.Claude()...)
	}
	return append(env, l.extra...)
}
