//go:build e2e

package modeltest_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/codex"
	"agentflow/executor/agent/gemini"
	"agentflow/executor/agent/opencode"
	"agentflow/internal/testing/agenttest"
	"agentflow/internal/testing/modeltest"
)

var update = flag.Bool("update", false, "write testdata/{codex,gemini,opencode} anew from the real programs")

// recordings is where the decoders' tests find them, a folder for each agent.
const recordings = "../../../testdata"

// recording is what a program printed in the last of some runs.
type recording struct {
	name   string
	script []modeltest.Turn
	always bool              // the last turn answers all that follows
	files  map[string]string // of the project
	home   map[string]string // of the home folder
	runs   []agent.Request
	env    []string

	// interruptAt sends SIGINT to the group when so many requests have come;
	// endAt kills it when its output has the text. 0 and empty: never.
	interruptAt int
	endAt       string
	stderr      bool   // standard error is kept too
	transcript  string // pattern of the files below the home folder that are kept as transcripts
}

// TestE2ERecordings runs the real programs through every recording's script.
// With -update their output becomes the recording; without, our decoders must
// read the same events from it as from the recording.
func TestE2ERecordings(t *testing.T) {
	for name, p := range programs(t) {
		for i, rec := range p.recordings("") {
			t.Run(name+"/"+rec.name, func(t *testing.T) {
				root := t.TempDir()
				rec := p.recordings(filepath.Join(root, "project"))[i]
				out, errs := record(t, p.agent, root, rec)
				base := filepath.Join(recordings, name, rec.name)
				if *update {
					write(t, base+".jsonl", out)
					if rec.stderr {
						write(t, base+".stderr", errs)
					}
					return
				}
				want, err := os.ReadFile(base + ".jsonl")
				if err != nil && len(out) > 0 {
					t.Fatal(err)
				}
				if got, want := brief(p.agent, out), brief(p.agent, want); !slices.Equal(got, want) && rec.interruptAt == 0 {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

type program struct {
	agent      agent.Agent
	recordings func(project string) []recording
}

func programs(t *testing.T) map[string]program {
	modules := os.Getenv("AGENT_MODULES")
	if modules == "" {
		t.Fatal("AGENT_MODULES must name a node_modules with the agents; `make e2e-agents` installs them and sets it")
	}
	return map[string]program{
		"codex":    {codex.New(filepath.Join(modules, ".bin", "codex")), codexRecordings},
		"gemini":   {gemini.New("node", filepath.Join(modules, ".bin", "gemini")), geminiRecordings},
		"opencode": {opencode.New(filepath.Join(modules, ".bin", "opencode")), opencodeRecordings},
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if len(data) == 0 {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func record(t *testing.T, a agent.Agent, root string, rec recording) (out, errs []byte) {
	home, project := filepath.Join(root, "home"), filepath.Join(root, "project")
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := modeltest.New(t, modeltest.Script{Main: rec.script, Always: rec.always})
	env := append(s.Programs(t, home), "PATH="+os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com",
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"GIT_AUTHOR_DATE=2026-11-21T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T10:00:00Z")
	for name, text := range rec.files {
		write(t, filepath.Join(project, name), []byte(text))
	}
	for name, text := range rec.home {
		write(t, filepath.Join(home, name), []byte(text))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = project, env
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, req := range rec.runs {
		if req.Resume == "last" {
			req.Resume = sessionOf(t, a, out)
		}
		req.Environ = append(env, rec.env...)
		out, errs = start(t, s, a, project, req, rec)
	}
	for _, path := range glob(t, filepath.Join(home, rec.transcript)) {
		if rec.transcript == "" || !*update {
			break
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(recordings, a.Name(), "transcripts", rec.name+".jsonl"), withoutInstructions(neutral(data, s.URL, home, project)))
	}
	t.Logf("stdout:\n%s", out)
	t.Logf("stderr:\n%s", errs)
	return neutral(out, s.URL, home, project), neutral(errs, s.URL, home, project)
}

func start(t *testing.T, s *modeltest.Server, a agent.Agent, project string, req agent.Request, rec recording) (out, errs []byte) {
	command, err := a.Command(req)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command.Argv[0], command.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = project, slices.Concat(req.Environ, command.Env), bytes.NewReader(command.Stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stdout, stderr watched
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if rec.endAt != "" {
		stdout.until, stdout.then = rec.endAt, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		stderr.until, stderr.then = stdout.until, stdout.then
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if rec.interruptAt > 0 {
		go func() {
			<-s.Arrived(rec.interruptAt)
			syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		}()
	}
	t.Logf("%q: %v", command.Argv, cmd.Wait())
	return stdout.all.Bytes(), stderr.all.Bytes()
}

// watched is output that a test waits for.
type watched struct {
	all   bytes.Buffer
	until string
	then  func()
}

func (w *watched) Write(p []byte) (int, error) {
	w.all.Write(p)
	if w.then != nil && strings.Contains(w.all.String(), w.until) {
		w.then()
		w.then = nil
	}
	return len(p), nil
}

func sessionOf(t *testing.T, a agent.Agent, out []byte) string {
	t.Helper()
	m := regexp.MustCompile(`"(?:thread_id|session_id|sessionID)":"([^"]+)"`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no session in %q", out)
	}
	return string(m[1])
}

// neutral takes this machine's and this moment's traces out of a recording.
func neutral(out []byte, url, home, project string) []byte {
	for _, pair := range [][2]string{{project, "/home/dev/project"}, {home, "/home/dev"}, {url, "http://127.0.0.1:8080"}, {os.Getenv("AGENT_MODULES"), "/home/dev/node_modules"}} {
		out = bytes.ReplaceAll(out, []byte(pair[0]), []byte(pair[1]))
	}
	names := map[string]string{}
	for _, form := range []struct{ pattern, to string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "00000000-0000-4000-8000-%012x"},
		{`\bses_[A-Za-z0-9]{20,}`, "ses_%026d"},
		{`\bmsg_[0-9a-f]{12}[A-Za-z0-9]{14}`, "msg_%026d"},
		{`\bprt_[0-9a-f]{12}[A-Za-z0-9]{14}`, "prt_%026d"},
	} {
		out = regexp.MustCompile(form.pattern).ReplaceAllFunc(out, func(old []byte) []byte {
			if names[string(old)] == "" {
				names[string(old)] = fmt.Sprintf(form.to, len(names)+1)
			}
			return []byte(names[string(old)])
		})
	}
	return out
}

// withoutInstructions shortens the long texts that a program gives to its
// model: they belong to its makers, and the tests do not need them.
func withoutInstructions(file []byte) []byte {
	return regexp.MustCompile(`"((?:[^"\\]|\\.){60})(?:[^"\\]|\\.){600}(?:[^"\\]|\\.)*"`).ReplaceAll(file, []byte(`"$1…"`))
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// brief returns the events of a recording, one per line.
func brief(a agent.Agent, out []byte) []string {
	var lines []string
	for _, ev := range agenttest.Decode(a, out, 1000) {
		if line := agenttest.Brief(ev); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
