package reflog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/history"
	"agentflow/internal/testing/gittest"
)

// news lists the commits since the marks, by subject, and makes new marks.
func news(f *gittest.Repo, marks **Marks) string {
	f.T.Helper()
	a, next, err := Read(filepath.Join(f.Dir, ".git"), *marks, f.Now())
	gittest.Must(f.T, err)
	file := filepath.Join(f.Run, "marks")
	gittest.Must(f.T, next.Save(file))
	*marks = LoadMarks(file)
	var words []string
	for _, id := range a.Made {
		word := strings.TrimSpace(f.Git("log", "-1", "--format=%s", id))
		if branch := a.Branches[id]; branch != "" {
			word += "@" + branch
		}
		words = append(words, word)
	}
	for _, w := range a.Amended {
		words = append(words, "amended "+strings.TrimSpace(f.Git("log", "-1", "--format=%s", w.Old)))
	}
	for _, span := range a.Brought {
		refs, err := history.IDs(f.T.Context(), f.Dir, span)
		gittest.Must(f.T, err)
		for _, c := range refs {
			words = append(words, "brought "+strings.TrimSpace(f.Git("log", "-1", "--format=%s", c.ID)))
		}
	}
	return strings.Join(words, ", ")
}

func TestReadReflogs(t *testing.T) {
	f := gittest.New(t)
	var marks *Marks
	gittest.Want(t, "unborn", news(f, &marks), "")
	f.Commit("zero", "a", "0")
	marks = nil
	gittest.Want(t, "at first", news(f, &marks), "")
	gittest.Want(t, "nothing", news(f, &marks), "")
	f.Commit("one", "a", "1")
	f.Commit("two", "a", "2")
	f.Git("commit", "-q", "--amend", "-m", "two again")
	gittest.Want(t, "commits", news(f, &marks), "one@main, two@main, two again@main, amended two")

	f.Git("checkout", "-q", "-b", "side")
	f.Commit("aside", "b", "1")
	f.Git("checkout", "-q", "main")
	f.Git("reset", "-q", "--hard", "HEAD~1")
	f.Git("branch", "-m", "side", "renamed")
	gittest.Want(t, "a renamed branch", news(f, &marks), "aside@renamed")
	f.Git("branch", "-m", "renamed", "once-more")
	gittest.Want(t, "renamed again", news(f, &marks), "")
	f.Git("merge", "-q", "once-more")
	gittest.Want(t, "fast-forward", news(f, &marks), "brought two again, brought aside")
	f.Commit("late", "c", "1")
	f.Git("reflog", "expire", "--expire=all", "--all")
	gittest.Want(t, "expired", news(f, &marks), "")
	f.Commit("later", "c", "2")
	gittest.Want(t, "after that", news(f, &marks), "later@main")

	// In a shortened log, the time decides which lines are new.
	f.Commit("last", "c", "3")
	log := f.Path(".git/logs/HEAD")
	text, err := os.ReadFile(log)
	gittest.Must(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	gittest.Must(t, os.WriteFile(log, []byte(lines[len(lines)-1]+"\nhalf a li"), 0o600))
	gittest.Want(t, "shortened", news(f, &marks), "last@main")
}

func TestReadReflogsDuringARebase(t *testing.T) {
	f := gittest.New(t)
	f.Commit("zero", "a", "0\n")
	f.Git("checkout", "-q", "-b", "side")
	f.Commit("fits", "b", "1\n")
	f.Commit("clashes", "a", "1\n")
	f.Git("checkout", "-q", "main")
	f.Commit("main", "a", "2\n")
	var marks *Marks
	news(f, &marks)
	if _, err := f.Try("rebase", "-q", "main", "side"); err == nil {
		t.Fatal("no conflict")
	}
	gittest.Want(t, "in the middle", news(f, &marks), "")
	f.Write("a", "3\n")
	f.Git("add", "a")
	f.Git("-c", "core.editor=true", "rebase", "--continue")
	gittest.Want(t, "afterwards", news(f, &marks), "fits, clashes@side")
}

func TestReflogMarks(t *testing.T) {
	dir := t.TempDir()
	if LoadMarks(filepath.Join(dir, "none")) != nil {
		t.Error("marks from nowhere")
	}
	for _, text := range []string{"", "{", `{"version": 99, "logs": {}}`} {
		file := filepath.Join(dir, "marks")
		gittest.Must(t, os.WriteFile(file, []byte(text), 0o600))
		if LoadMarks(file) != nil {
			t.Errorf("%q was taken", text)
		}
	}
	a, _, err := Read(filepath.Join(dir, "no repository"), &Marks{}, time.Now())
	if err != nil || len(a.Made) > 0 {
		t.Errorf("%v, %v", a, err)
	}
	if os.Geteuid() != 0 {
		log := filepath.Join(dir, "logs", "HEAD")
		gittest.Must(t, os.MkdirAll(filepath.Dir(log), 0o700))
		gittest.Must(t, os.WriteFile(log, nil, 0))
		if _, _, err := Read(dir, &Marks{}, time.Now()); err == nil {
			t.Error("a log that cannot be read is an empty one")
		}
	}
}
