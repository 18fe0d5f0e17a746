package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// crowdScript writes and commits only files that carry the task's name.
func crowdScript(names []string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "task crowd-%s.\nwrite %s/one.txt \"%s\\n\"\ncommit \"one of %s\" %s/one.txt\nwrite %s/two.txt \"%s\\n\"\ncommit \"two of %s\" %s/two.txt\nwrite %s/loose.txt \"x\\n\"\nsay \"<save_memory>Fact of %s.</save_memory>\"\n\n",
			name, name, name, name, name, name, name, name, name, name, name)
	}
	return b.String()
}

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("n%02d", i)
	}
	return out
}

// crowd starts one run for each name, all at once, and checks that each
// entry holds the commits and files of its run only.
func (l *lab) crowd(names []string, folder func(string) string) {
	l.T.Helper()
	var runs []*labtest.Process
	for _, name := range names {
		runs = append(runs, l.In(folder(name)).Start("run", "crowd-"+name+"."))
	}
	for i, run := range runs {
		if err := run.Wait(); err != nil {
			l.T.Errorf("run %s: %v\n%s%s", names[i], err, &run.Out, &run.Err)
		}
	}
	all := l.Entries()
	if len(all) != len(names) {
		l.T.Fatalf("%d runs, %d entries", len(names), len(all))
	}
	for _, e := range all {
		l.alone(e, strings.TrimSuffix(strings.TrimPrefix(e.Task, "crowd-"), "."))
	}
}

// alone reports whether an entry holds exactly the work of the run with that name.
func (l *lab) alone(e memory.Entry, name string) {
	l.T.Helper()
	defer func() {
		if l.T.Failed() {
			l.T.Logf("%s", markdown.Format(e))
		}
	}()
	var commits []string
	for _, c := range e.Commits {
		commits = append(commits, c.Subject)
	}
	if want := []string{"one of " + name, "two of " + name}; !slices.Equal(commits, want) {
		l.T.Errorf("%s: commits %v", name, commits)
	}
	if have, want := paths(e.Changes), []string{name + "/one.txt", name + "/two.txt"}; !slices.Equal(have, want) {
		l.T.Errorf("%s: changes %v", name, have)
	}
	if have, want := paths(e.Uncommitted), []string{name + "/loose.txt"}; !slices.Equal(have, want) {
		l.T.Errorf("%s: uncommitted %v", name, have)
	}
	if len(e.Facts) != 1 || e.Facts[0].Text != "Fact of "+name+"." {
		l.T.Errorf("%s: facts %v", name, e.Facts)
	}
}

func paths(list changeset.List) []string {
	out := []string{}
	for _, c := range list.Items {
		out = append(out, c.Path)
	}
	slices.Sort(out)
	return out
}

func TestThirtyTwoRunsInLinkedWorktrees(t *testing.T) {
	all := names(32)
	l := newLab(t, crowdScript(all))
	folder := func(name string) string { return filepath.Join(filepath.Dir(l.Repo), "tree-"+name) }
	for _, name := range all {
		l.Git("worktree", "add", "-q", folder(name))
	}
	l.crowd(all, folder)
}

func TestEightRunsInOneWorktree(t *testing.T) {
	all := names(8)
	l := newLab(t, crowdScript(all))
	l.crowd(all, func(string) string { return l.Repo })
}
