package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// await polls until done says so.
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

// barrier puts steps in front of each task of crowdScript, so that all of
// them write and commit at the same moment: once go is there.
func barrier(script, dir string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(script, "\n") {
		b.WriteString(line)
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "task crowd-"); ok {
			fmt.Fprintf(&b, "touch %s\nwait %s\n", filepath.Join(dir, strings.TrimSuffix(name, ".")), filepath.Join(dir, "go"))
		}
	}
	return b.String()
}

// TestEightRunsInWorktreesOfTheirOwn lets eight runs commit at one moment,
// with somebody committing in the main work tree meanwhile.
func TestEightRunsInWorktreesOfTheirOwn(t *testing.T) {
	dir, all := t.TempDir(), names(8)
	l := newLab(t, barrier(crowdScript(all), dir))
	tasks := filepath.Join(dir, "tasks.txt")
	var lines strings.Builder
	for _, name := range all {
		fmt.Fprintf(&lines, "crowd-%s.\n", name)
	}
	l.write(tasks, lines.String())

	cmd := l.command(l.repo, "run", "--parallel", "8", "-f", tasks, "--json")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		await(t, name, func() bool { return exists(filepath.Join(dir, name)) })
	}
	l.write(filepath.Join(dir, "go"), "")
	for i := range 4 {
		l.write(filepath.Join(l.repo, "README"), fmt.Sprint(i))
		l.git(l.repo, "commit", "-qm", "meanwhile", "README")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}

	var runs []runObject
	if err := json.Unmarshal(stdout.Bytes(), &runs); err != nil {
		t.Fatal(err)
	}
	entries := l.entries()
	if len(runs) != 8 || len(entries) != 8 {
		t.Fatalf("%d run objects, %d entries", len(runs), len(entries))
	}
	for i, name := range all {
		e, ok := entries[runs[i].ID]
		if !ok || e.Task != "crowd-"+name+"." {
			t.Fatalf("task %d: entry %+v", i, e)
		}
		l.alone(e, name)
		if len(e.Meanwhile.Items) > 0 || e.Branch != "agentflow/"+e.Worktree || runs[i].WorktreePath == "" {
			t.Errorf("%s: branch %s, work tree %s in %s, meanwhile %v", name, e.Branch, e.Worktree, runs[i].WorktreePath, e.Meanwhile.Items)
		}
		if n := l.git(l.repo, "rev-list", "--count", e.Base+".."+e.Branch); n != "2" {
			t.Errorf("%s: branch %s has %s commits", name, e.Branch, n)
		}
	}
	if n := l.git(l.repo, "rev-list", "--count", "main"); n != "5" {
		t.Errorf("main has %s commits", n)
	}
	if changed := l.git(l.repo, "status", "--porcelain"); changed != "" {
		t.Errorf("the user's work tree: %s", changed)
	}
}

// files is every file below dir but those of skip, with its contents.
func (l *lab) files(dir string, skip ...string) map[string]string {
	l.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		for _, s := range skip {
			if name == s || strings.HasPrefix(name, s+string(filepath.Separator)) {
				return nil
			}
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[name] = string(data)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// TestAWorktreeRunLeavesTheUsersAlone compares each byte of the user's work
// tree, index, HEAD and reflog, in a subfolder of which the run was started.
func TestAWorktreeRunLeavesTheUsersAlone(t *testing.T) {
	l := newLab(t, "write new.txt \"n\\n\"\ncommit \"made\" new.txt\nsh git reset -q --hard && echo $PWD > where\nsay \"done\"\n")
	l.write(filepath.Join(l.repo, "sub/here"), "x\n")
	l.git(l.repo, "add", ".")
	l.git(l.repo, "commit", "-qm", "sub")
	l.write(filepath.Join(l.repo, "README"), "edited\n")
	l.write(filepath.Join(l.repo, "staged"), "s\n")
	l.git(l.repo, "add", "staged")
	l.write(filepath.Join(l.repo, ".env"), "KEY=1\n")
	l.agentflow(l.repo, "init")
	skip := []string{".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs/heads/agentflow", ".git/logs/refs/heads/agentflow"}
	before := l.files(l.repo, skip...)

	l.env = append(l.env, "GIT_DIR="+filepath.Join(l.repo, ".git"), "GIT_WORK_TREE="+l.repo) // as in a hook, or an alias
	var run runObject
	if err := json.Unmarshal([]byte(l.agentflow(filepath.Join(l.repo, "sub"), "run", "--worktree", "--json", "work")), &run); err != nil {
		t.Fatal(err)
	}
	after := l.files(l.repo, skip...)
	for name, data := range after {
		if old, ok := before[name]; !ok || old != data {
			t.Errorf("%s holds %q, was %q (there: %v)", name, data, old, ok)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
	if len(run.Commits) != 1 || len(run.Uncommitted) != 1 || run.WorktreePath == "" {
		t.Errorf("%+v", run)
	}
	sub := filepath.Join(run.WorktreePath, "sub")
	if where, err := os.ReadFile(filepath.Join(sub, "where")); err != nil || strings.TrimSpace(string(where)) != sub {
		t.Errorf("the agent worked in %s, not in %s: %v", where, sub, err)
	}
	if exists(filepath.Join(run.WorktreePath, ".env")) {
		t.Error("an untracked file of the user is there")
	}
}
