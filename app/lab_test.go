package app

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/api"
)

// programs builds agentflow and the scripted agent once for all tests that
// start them as programs.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agentflow-test-")
	if err != nil {
		return "", err
	}
	for name, pkg := range map[string]string{"agentflow": "../cmd/agentflow", "scriptedagent": "../internal/testing/scriptedagent/agent"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, &exec.Error{Name: string(out), Err: err}
		}
	}
	return dir, nil
})

// lab is a repository in a home of its own, with a scripted agent as the
// default one.
type lab struct {
	t    testing.TB
	bin  string
	home string
	repo string
	env  []string
}

func newLab(t testing.TB, script string) *lab {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, bin: bin, home: filepath.Join(root, "home"), repo: filepath.Join(root, "repo")}
	l.env = append(os.Environ(), "HOME="+l.home, "XDG_CONFIG_HOME="+filepath.Join(l.home, "config"), "XDG_STATE_HOME="+filepath.Join(l.home, "state"),
		"XDG_DATA_HOME="+filepath.Join(l.home, "data"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(l.home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1",
		"SCRIPTED_AGENT="+filepath.Join(l.home, "script.txtar"))
	l.write(filepath.Join(l.home, "gitconfig"), "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n")
	l.write(filepath.Join(l.home, "script.txtar"), script)
	l.write(filepath.Join(l.home, "config/agentflow/config.toml"),
		"[agent]\ndefault = \"scripted\"\n[agent.scripted]\nargv = ["+quoted(filepath.Join(bin, "scriptedagent"))+", \"--output-format\", \"stream-json\"]\nprotocol = \"claude\"\n")
	l.write(filepath.Join(l.repo, "README"), "start\n")
	l.git(l.repo, "init", "-q")
	l.git(l.repo, "add", ".")
	l.git(l.repo, "commit", "-qm", "start")
	return l
}

func quoted(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}

func (l *lab) write(path, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// command is agentflow, to be run in dir.
func (l *lab) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(l.bin, "agentflow"), args...)
	cmd.Dir, cmd.Env = dir, l.env
	return cmd
}

// agentflow runs a verb that must succeed and returns its stdout.
func (l *lab) agentflow(dir string, args ...string) string {
	l.t.Helper()
	cmd := l.command(dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		l.t.Fatalf("agentflow %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// runs reads all run objects.
func (l *lab) runs() []api.Run {
	l.t.Helper()
	var list []api.Run
	if err := json.Unmarshal([]byte(l.agentflow(l.repo, "log", "-n", "0", "--json")), &list); err != nil {
		l.t.Fatal(err)
	}
	return list
}

func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
