package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// barrier puts steps in front of each task of crowdScript, so that all of
// them write and commit at the same moment: when go exists.
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

// TestEightRunsInWorktreesOfTheirOwn lets eight runs commit at the same moment,
// while a person commits in the main work tree.
func TestEightRunsInWorktreesOfTheirOwn(t *testing.T) {
	dir, all := t.TempDir(), names(8)
	l := newLab(t, barrier(crowdScript(all), dir))
	tasks := filepath.Join(dir, "tasks.txt")
	var lines strings.Builder
	for _, name := range all {
		fmt.Fprintf(&lines, "crowd-%s.\n", name)
	}
	l.Write(tasks, lines.String())

	p := l.Start("run", "--parallel", "8", "-f", tasks, "--json")
	for _, name := range all {
		l.AwaitFile(filepath.Join(dir, name))
	}
	l.Write(filepath.Join(dir, "go"), "")
	for i := range 4 {
		l.Write("README", fmt.Sprint(i))
		l.Git("commit", "-qm", "meanwhile", "README")
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &p.Err)
	}

	var runs []runObject
	if err := json.Unmarshal([]byte(p.Out.String()), &runs); err != nil {
		t.Fatal(err)
	}
	entries := l.Entries()
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
		if n := l.Git("rev-list", "--count", e.Base+".."+e.Branch); n != "2" {
			t.Errorf("%s: branch %s has %s commits", name, e.Branch, n)
		}
	}
	if n := l.Git("rev-list", "--count", "main"); n != "5" {
		t.Errorf("main has %s commits", n)
	}
	if changed := l.Git("status", "--porcelain"); changed != "" {
		t.Errorf("the user's work tree: %s", changed)
	}
}

// files returns every file below dir but those of skip, with its contents.
func (l *lab) files(dir string, skip ...string) map[string]string {
	l.T.Helper()
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
		l.T.Fatal(err)
	}
	return out
}

// TestAWorktreeRunLeavesTheUsersAlone compares each byte of the user's work
// tree, index, HEAD and reflog. The run is started in a subfolder of that tree.
func TestAWorktreeRunLeavesTheUsersAlone(t *testing.T) {
	l := newLab(t, "write new.txt \"n\\n\"\ncommit \"made\" new.txt\nsh git reset -q --hard && echo $PWD > where\nsay \"done\"\n")
	l.Write("sub/here", "x\n")
	l.Git("add", ".")
	l.Git("commit", "-qm", "sub")
	l.Write("README", "edited\n")
	l.Write("staged", "s\n")
	l.Git("add", "staged")
	l.Write(".env", "KEY=1\n")
	l.Agentflow("init")
	skip := []string{".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs/heads/agentflow", ".git/logs/refs/heads/agentflow"}
	before := l.files(l.Repo, skip...)

	l.Env = append(l.Env, "GIT_DIR="+filepath.Join(l.Repo, ".git"), "GIT_WORK_TREE="+l.Repo) // as in a hook, or an alias
	var run runObject
	l.In(l.Path("sub")).JSON(&run, "run", "--worktree", "work")
	after := l.files(l.Repo, skip...)
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
	if l.Exists(filepath.Join(run.WorktreePath, ".env")) {
		t.Error("an untracked file of the user is there")
	}
}
