package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
)

// killScript is a run that does everything a run can: it edits, commits
// twice, saves memories and leaves a process in a separate session.
const killScript = `say "starting"
sh echo $AGENTFLOW_RUN_ID >> touched.txt
write left.txt "left\n"
sh "echo one >> a.txt && git add a.txt && git commit -q -m 'a of '$AGENTFLOW_RUN_ID -- a.txt"
start sleep 300
say "<save_memory tags=\"kill\">The first commit is there.</save_memory>"
sh "echo two >> b.txt && git add b.txt && git commit -q -m 'b of '$AGENTFLOW_RUN_ID -- b.txt"
say "done <save_memory>Both commits are there.</save_memory>"
`

// TestKilledRunsAreRecorded ends agentflow with SIGKILL at random moments of
// a run and checks what the next command records. AGENTFLOW_KILLS sets
// how often; AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledRunsAreRecorded(t *testing.T) {
	kills := number(t, "AGENTFLOW_KILLS", 20)
	random := rand.New(rand.NewPCG(seed(t), 1))
	l := newLab(t, killScript)

	start := time.Now()
	l.Agentflow("run", "-q", "calibrate")
	whole := time.Since(start)
	if commits := l.Runs()[0].Commits; len(commits) != 2 {
		t.Fatalf("an undisturbed run makes the commits %v", commits)
	}
	seen := map[string]int{}
	for i := range kills {
		seen[l.kill(i, upTo(random, whole*11/10))]++
	}
	l.sameAfterRebuild()
	t.Logf("a whole run takes %v; outcomes: %v", whole.Round(time.Millisecond), seen)
	if kills >= 20 && (seen["recovered"] == 0) {
		t.Errorf("no kill hit a run: %v", seen)
	}
}

// kill starts a run, kills it after a while, makes later changes,
// and checks what the next command recorded.
func (l *lab) kill(round int, after time.Duration) string {
	l.T.Helper()
	before := l.journals()
	l.killed(after, "run", "-q", fmt.Sprintf("round %d", round))
	fresh := slices.DeleteFunc(l.journals(), func(id string) bool { return slices.Contains(before, id) })
	l.untilQuiet(fresh)
	later := l.somethingLater(round)
	l.Agentflow("status")
	return l.judge(fresh, later)
}

// journals lists the runs with a journal on disk.
func (l *lab) journals() []string {
	files, _ := filepath.Glob(filepath.Join(l.Repo, ".git/agentflow/runs/*/journal.json"))
	for i, file := range files {
		files[i] = filepath.Base(filepath.Dir(file))
	}
	return files
}

// untilQuiet waits until the processes of the killed run have ended, except for
// the process that stays. A person who removes index.lock under a git that
// still works would break the repository, and that is not tested here.
func (l *lab) untilQuiet(fresh []string) {
	l.T.Helper()
	for _, id := range fresh {
		labtest.Await(l.T, "what run "+id+" started to end", func() bool {
			return !slices.ContainsFunc(processesOf(id), func(cmd string) bool { return !strings.HasPrefix(cmd, "sleep") })
		})
	}
	labtest.Await(l.T, "git to end", func() bool { return !gitAtWork(l.Repo) })
}

// gitAtWork reports whether a git that agentflow started still runs.
func gitAtWork(repo string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && bytes.HasPrefix(line, []byte("git\x00")) && bytes.Contains(line, []byte(repo)) {
			return true
		}
	}
	return false
}

// somethingLater makes a commit, as a person would before the next command.
func (l *lab) somethingLater(round int) (commit string) {
	name := fmt.Sprintf("later-%d.txt", round)
	l.Write(name, "later\n")
	l.Write(filepath.Join(name+".loose"), "later\n")
	os.Remove(filepath.Join(l.Repo, ".git/index.lock")) // a git that was killed leaves it
	l.Git("add", name)
	l.Git("commit", "-qm", "later", "--", name)
	return l.Git("rev-parse", "HEAD")
}

// judge holds the memory to its promises after one kill.
func (l *lab) judge(fresh []string, later string) string {
	l.T.Helper()
	all := l.Entries()
	verdict := "not begun"
	for _, id := range fresh {
		e, ok := all[id]
		if !ok {
			l.T.Fatalf("run %s has a journal and no entry", id)
		}
		verdict = "recovered"
		if e.Result.Outcome == "ok" {
			verdict = "whole"
		}
		for _, c := range e.Commits {
			if c.ID == later || !strings.Contains(c.Subject, id) {
				l.T.Fatalf("run %s claims commit %s %q", id, c.ID, c.Subject)
			}
		}
		for _, change := range append(slices.Clone(e.Changes.Items), e.Uncommitted.Items...) {
			if strings.HasPrefix(change.Path, "later-") {
				l.T.Fatalf("run %s claims %s, which came later", id, change.Path)
			}
		}
		if left := processesOf(id); len(left) > 0 {
			l.T.Fatalf("processes of run %s are left: %v", id, left)
		}
	}
	l.indexAgrees(len(all))
	return verdict
}

// indexAgrees compares the index's own count with the files, and with the result of
// a rebuild.
func (l *lab) indexAgrees(entries int) {
	l.T.Helper()
	status := l.status()
	if status.Index.Entries != entries || status.Pending != 0 || len(status.Vanished) != 0 {
		l.T.Fatalf("%d entries in the files, %d in the index, %d pending, %d vanished",
			entries, status.Index.Entries, status.Pending, len(status.Vanished))
	}
}

// sameAfterRebuild deletes the index and sees that a search finds the same.
func (l *lab) sameAfterRebuild() {
	l.T.Helper()
	score := regexp.MustCompile(`score [0-9.]+`) // age is part of it
	search := func() string {
		return score.ReplaceAllString(l.Agentflow("search", "-n", "50", "first commit kill round"), "")
	}
	before := search()
	if err := os.RemoveAll(filepath.Join(l.Repo, ".agentflow/state")); err != nil {
		l.T.Fatal(err)
	}
	if after := search(); before == "" || after != before {
		l.T.Fatalf("before:\n%s\nafter a rebuild:\n%s", before, after)
	}
}

// processesOf lists the processes that belong to a run.
func processesOf(id string) []string {
	var left []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && bytes.Contains(env, []byte("AGENTFLOW_RUN_ID="+id)) {
			if name, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline")); err == nil && len(name) > 0 {
				left = append(left, strings.ReplaceAll(string(name), "\x00", " "))
			}
		}
	}
	return left
}
