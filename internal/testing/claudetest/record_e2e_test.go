//go:build e2e

package claudetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/modeltest"
)

var update = flag.Bool("update", false, "write testdata/claude anew from the real CLI")

// recordings is where the decoder's tests find them.
const recordings = "../../../testdata/claude"

type run struct {
	prompt string
	args   []string
	resume bool // continue the session of the run before
	env    []string
}

type recording struct {
	name   string
	script modeltest.Script
	files  map[string]string
	runs   []run // the last one is recorded

	interruptAt int // SIGINT when the server has this many requests; 0 for never
}

// TestE2ERecordings runs the real CLI through every recording's script: with
// -update its output becomes the recording, without it the lines' types
// must be those recorded, so that a change of the protocol is seen.
func TestE2ERecordings(t *testing.T) {
	cli := os.Getenv("CLAUDE_CLI")
	if cli == "" {
		t.Fatal("CLAUDE_CLI must name the Claude CLI; `make e2e` installs it and sets it")
	}
	for i, rec := range all("") {
		t.Run(rec.name, func(t *testing.T) {
			root := t.TempDir()
			got := record(t, cli, root, all(filepath.Join(root, "project"))[i])
			path := filepath.Join(recordings, rec.name+".jsonl")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			g, w := shape(t, got), shape(t, want)
			if !slices.Equal(g, w) && !(rec.interruptAt > 0 && interrupted(g, w)) {
				t.Errorf("the stream's shape changed\n got %q\nwant %q", g, w)
			}
		})
	}
}

func record(t *testing.T, cli, root string, rec recording) []byte {
	home, project := filepath.Join(root, "home"), filepath.Join(root, "project")
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := neutralEnv(home)
	for name, text := range rec.files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(project, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
		command(t, t.Context(), project, env, "", "git", args...)
	}
	s := modeltest.New(t, rec.script)
	env = append(env, s.Claude()...)
	var out []byte
	for _, r := range rec.runs {
		args := append([]string{"-p", "--output-format", "stream-json", "--verbose"}, r.args...)
		if !slices.Contains(args, "--permission-mode") {
			args = append(args, "--permission-mode", "acceptEdits")
		}
		if r.resume {
			args = append(args, "--resume", sessionID(t, out))
		}
		ctx := t.Context()
		if rec.interruptAt > 0 {
			ctx = doneWhen(t, s.Arrived(rec.interruptAt))
		}
		out = command(t, ctx, project, slices.Concat(env, r.env), r.prompt, cli, args...)
	}
	return neutral(out, root, home, project)
}

// neutralEnv returns an environment in which the CLI and git act the same
// everywhere.
func neutralEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=dev", "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com",
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"GIT_AUTHOR_DATE=2026-11-21T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T10:00:00Z",
	}
}

// doneWhen returns a context that ends when ch is closed.
func doneWhen(t *testing.T, ch <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		select {
		case <-ch:
		case <-t.Context().Done():
		}
	}()
	return ctx
}

// command runs a program to its end, or interrupts it when ctx ends, and
// returns its stdout; agents may fail.
func command(t *testing.T, ctx context.Context, dir string, env []string, stdin, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(stdin)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil && name == "git" {
		t.Fatalf("%s %q: %v\n%s", name, args, err, &stderr)
	}
	if stderr.Len() > 0 || err != nil {
		t.Logf("%s: %v; stderr: %s", filepath.Base(name), err, &stderr)
	}
	return stdout.Bytes()
}

func sessionID(t *testing.T, out []byte) string {
	t.Helper()
	line, _, _ := bytes.Cut(out, []byte("\n"))
	var first struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal(line, &first); err != nil || first.SessionID == "" {
		t.Fatalf("no session id in %q: %v", line, err)
	}
	return first.SessionID
}

// neutral takes this machine's and this moment's traces out of a recording
// and leaves every other byte as it was.
func neutral(out []byte, root, home, project string) []byte {
	slug := regexp.MustCompile(`[^A-Za-z0-9]`)
	for from, to := range map[string]string{project: "/home/dev/project", home: "/home/dev"} {
		out = bytes.ReplaceAll(out, []byte(from), []byte(to))
		out = bytes.ReplaceAll(out, []byte(slug.ReplaceAllString(from, "-")), []byte(slug.ReplaceAllString(to, "-")))
	}
	out = bytes.ReplaceAll(out, []byte(root), []byte("/home"))
	names := map[string]string{}
	numbered := func(pattern, format string) {
		out = regexp.MustCompile(pattern).ReplaceAllFunc(out, func(old []byte) []byte {
			if names[string(old)] == "" {
				names[string(old)] = fmt.Sprintf(format, len(names)+1)
			}
			return []byte(names[string(old)])
		})
	}
	numbered(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "00000000-0000-4000-8000-%012x")
	numbered(`\ba[0-9a-f]{16}\b`, "a%016x")
	for pattern, to := range map[string]string{
		`"timestamp":"[^"]*"`:                  `"timestamp":"2026-11-21T10:00:00.000Z"`,
		`("(?:\w+_ms|\w+Ms|end_time)":)[\d.]+`: `${1}100`,
		`(duration_ms: )\d+`:                   `${1}100`,
		`/tmp/claude-\d+/`:                     `/tmp/claude-1000/`,
	} {
		out = regexp.MustCompile(pattern).ReplaceAll(out, []byte(to))
	}
	return out
}

// interrupted reports whether got equals want up to the tool's result, the
// moment of the interrupt, and then has only kinds of lines that want has too.
// How much the CLI writes after an interrupt depends on timing.
func interrupted(got, want []string) bool {
	until := slices.Index(want, "user") + 1
	if len(got) < until || !slices.Equal(got[:until], want[:until]) {
		return false
	}
	return !slices.ContainsFunc(got[until:], func(kind string) bool { return !slices.Contains(want, kind) })
}

// shape returns the sequence of line types, without the types that vary in
// number with time.
func shape(t *testing.T, out []byte) []string {
	t.Helper()
	var kinds []string
	for line := range bytes.Lines(out) {
		var l struct{ Type, Subtype string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("line %.200q: %v", line, err)
		}
		if l.Subtype != "thinking_tokens" && l.Subtype != "task_progress" {
			kinds = append(kinds, strings.TrimSuffix(l.Type+" "+l.Subtype, " "))
		}
	}
	return kinds
}
