// Package labtest gives a test a separate home and repository, and the program
// as it is released, with an agent that follows a script.
package labtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app/api"
)

// Lab is a folder, usually a repository, in a separate home.
type Lab struct {
	T    testing.TB
	Bin  string // the folder of the programs; only New sets it
	Home string
	Repo string
	Env  []string // for git and agentflow
}

// environ is the environment from before tests changed it, in which go finds
// its cache.
var environ = os.Environ()

// GitConfig is git's configuration in every home. Without auto, each commit starts no
// second git, which takes as much processor time as the commit.
const GitConfig = "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n[maintenance]\nauto = false\n"

// Folder returns a lab with an empty folder as its Repo.
func Folder(t testing.TB) *Lab {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	l := &Lab{T: t, Home: home, Repo: filepath.Join(root, "repo"), Env: append(slices.Clone(environ), Environ(home)...)}
	l.Write("../home/gitconfig", GitConfig)
	l.must(os.MkdirAll(l.Repo, 0o700))
	return l
}

// Environ returns the variables that make git and agentflow use only this home.
func Environ(home string) []string {
	return []string{"HOME=" + home, "USERPROFILE=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"), "GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1"}
}

// Repository returns a lab with a Repo that has one commit.
func Repository(t testing.TB) *Lab {
	t.Helper()
	l := Folder(t)
	l.Write("README", "start\n")
	l.Git("init", "-q")
	l.Git("add", ".")
	l.Git("commit", "-qm", "start")
	return l
}

// New returns a repository with the programs on PATH and a default agent that
// follows the script (see scriptedagent).
func New(t testing.TB, script string) *Lab {
	t.Helper()
	l := Repository(t)
	l.Bin = Programs(t)
	l.Env = append(l.Env, "SCRIPTED_AGENT="+filepath.Join(l.Home, "script.txtar"), "PATH="+l.Bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	l.Script(script)
	agent, err := json.Marshal(filepath.Join(l.Bin, "agent"))
	l.must(err)
	l.Settings(fmt.Sprintf("[agent]\ndefault = \"scripted\"\n[agent.scripted]\nargv = [%s, \"--output-format\", \"stream-json\"]\nprotocol = \"claude\"\n", agent))
	return l
}

// In returns the lab with another folder as its Repo.
func (l *Lab) In(dir string) *Lab {
	other := *l
	other.Repo = dir
	return &other
}

// With returns the lab with additional environment variables.
func (l *Lab) With(env ...string) *Lab {
	other := *l
	other.Env = append(slices.Clone(l.Env), env...)
	return &other
}

func (l *Lab) must(err error) {
	l.T.Helper()
	if err != nil {
		l.T.Fatal(err)
	}
}

// Path returns name if it is absolute, and otherwise the path below Repo.
func (l *Lab) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.Repo, name)
}

// Write writes a file and creates the folders above it. Every file name is
// resolved by Path.
func (l *Lab) Write(name, text string) {
	l.T.Helper()
	path := l.Path(name)
	l.must(os.MkdirAll(filepath.Dir(path), 0o700))
	l.must(os.WriteFile(path, []byte(text), 0o600))
}

// Read returns the contents of a file.
func (l *Lab) Read(name string) string {
	l.T.Helper()
	data, err := os.ReadFile(l.Path(name))
	l.must(err)
	return string(data)
}

// Exists reports whether a file, a folder or a link exists.
func (l *Lab) Exists(name string) bool {
	_, err := os.Lstat(l.Path(name))
	return err == nil
}

// Remove removes a file, or a folder with its contents.
func (l *Lab) Remove(name string) {
	l.T.Helper()
	l.must(os.RemoveAll(l.Path(name)))
}

// Program writes an executable shell script and returns its path.
func (l *Lab) Program(name, script string) string {
	l.T.Helper()
	l.Write(name, "#!/bin/sh\n"+script+"\n")
	l.must(os.Chmod(l.Path(name), 0o700))
	return l.Path(name)
}

// Script replaces the script of the agent.
func (l *Lab) Script(script string) {
	l.T.Helper()
	l.Write(filepath.Join(l.Home, "script.txtar"), script)
}

// SettingsFile returns the path of the user's settings.
func (l *Lab) SettingsFile() string { return filepath.Join(l.Home, "config/agentflow/config.toml") }

// Settings adds to the user's settings.
func (l *Lab) Settings(text string) {
	l.T.Helper()
	if file := l.SettingsFile(); l.Exists(file) {
		text = l.Read(file) + text
	}
	l.Write(l.SettingsFile(), text)
}

// Git runs git in Repo and returns its output. The test fails if git fails.
func (l *Lab) Git(args ...string) string {
	l.T.Helper()
	out, err := l.TryGit(args...)
	if err != nil {
		l.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit is Git, but returns an error if git fails.
func (l *Lab) TryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.Repo, l.Env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Commit adds a line to a file and commits it.
func (l *Lab) Commit(file, title string) {
	l.T.Helper()
	old, _ := os.ReadFile(l.Path(file))
	l.Write(file, string(old)+title+"\n")
	l.Git("add", file)
	l.Git("commit", "-qm", title)
}

// Command returns a command that runs agentflow in Repo.
func (l *Lab) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(l.Bin, "agentflow"), args...)
	cmd.Dir, cmd.Env = l.Repo, l.Env
	return cmd
}

// Process is a running command.
type Process struct {
	*exec.Cmd
	Out, Err Lines // output so far
}

// Start starts a command.
func (l *Lab) Start(args ...string) *Process {
	l.T.Helper()
	p := &Process{Cmd: l.Command(args...)}
	p.Stdout, p.Stderr = &p.Out, &p.Err
	l.must(p.Cmd.Start())
	return p
}

// Agentflow runs a command and returns its standard output. The test fails if
// the command fails.
func (l *Lab) Agentflow(args ...string) string {
	l.T.Helper()
	p := l.Start(args...)
	if err := p.Wait(); err != nil {
		l.T.Fatalf("agentflow %s: %v\n%s%s", strings.Join(args, " "), err, &p.Out, &p.Err)
	}
	return p.Out.String()
}

// JSON runs a command and decodes the object that it prints. The test fails if
// the command fails.
func (l *Lab) JSON(object any, args ...string) {
	l.T.Helper()
	if out := l.Agentflow(append(args, "--json")...); json.Unmarshal([]byte(out), object) != nil {
		l.T.Fatalf("agentflow %s --json prints no such object:\n%s", strings.Join(args, " "), out)
	}
}

// Runs returns all run objects.
func (l *Lab) Runs() (list []api.Run) {
	l.T.Helper()
	l.JSON(&list, "log", "-n", "0")
	return list
}
