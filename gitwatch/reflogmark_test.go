package gitwatch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// news tells what came since the marks, by subject, and makes new ones.
func (f *fixture) news(marks **ReflogMarks) string {
	f.t.Helper()
	a, next, err := ReadReflogs(filepath.Join(f.dir, ".git"), *marks, f.now())
	must(f.t, err)
	file := filepath.Join(f.run, "marks")
	must(f.t, next.Save(file))
	*marks = LoadReflogMarks(file)
	var words []string
	for _, id := range a.Made {
		word := strings.TrimSpace(f.git("log", "-1", "--format=%s", id))
		if branch := a.Branches[id]; branch != "" {
			word += "@" + branch
		}
		words = append(words, word)
	}
	for _, w := range a.Amended {
		words = append(words, "amended "+strings.TrimSpace(f.git("log", "-1", "--format=%s", w.Old)))
	}
	for _, span := range a.Brought {
		refs, err := CommitIDs(f.t.Context(), f.dir, span)
		must(f.t, err)
		for _, c := range refs {
			words = append(words, "brought "+strings.TrimSpace(f.git("log", "-1", "--format=%s", c.ID)))
		}
	}
	return strings.Join(words, ", ")
}

func TestReadReflogs(t *testing.T) {
	f := newFixture(t)
	var marks *ReflogMarks
	want(t, "unborn", f.news(&marks), "")
	f.commit("zero", "a", "0")
	marks = nil
	want(t, "at first", f.news(&marks), "")
	want(t, "nothing", f.news(&marks), "")
	f.commit("one", "a", "1")
	f.commit("two", "a", "2")
	f.git("commit", "-q", "--amend", "-m", "two again")
	want(t, "commits", f.news(&marks), "one@main, two@main, two again@main, amended two")

	f.git("checkout", "-q", "-b", "side")
	f.commit("aside", "b", "1")
	f.git("checkout", "-q", "main")
	f.git("reset", "-q", "--hard", "HEAD~1")
	f.git("branch", "-m", "side", "renamed")
	want(t, "a renamed branch", f.news(&marks), "aside@renamed")
	f.git("branch", "-m", "renamed", "once-more")
	want(t, "renamed again", f.news(&marks), "")
	f.git("merge", "-q", "once-more")
	want(t, "fast-forward", f.news(&marks), "brought two again, brought aside")
	f.commit("late", "c", "1")
	f.git("reflog", "expire", "--expire=all", "--all")
	want(t, "expired", f.news(&marks), "")
	f.commit("later", "c", "2")
	want(t, "after that", f.news(&marks), "later@main")

	// A shortened log: time tells what is new.
	f.commit("last", "c", "3")
	log := f.path(".git/logs/HEAD")
	text, err := os.ReadFile(log)
	must(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	must(t, os.WriteFile(log, []byte(lines[len(lines)-1]+"\nhalf a li"), 0o600))
	want(t, "shortened", f.news(&marks), "last@main")
}

func TestReadReflogsDuringARebase(t *testing.T) {
	f := newFixture(t)
	f.commit("zero", "a", "0\n")
	f.git("checkout", "-q", "-b", "side")
	f.commit("fits", "b", "1\n")
	f.commit("clashes", "a", "1\n")
	f.git("checkout", "-q", "main")
	f.commit("main", "a", "2\n")
	var marks *ReflogMarks
	f.news(&marks)
	if _, err := f.try("rebase", "-q", "main", "side"); err == nil {
		t.Fatal("no conflict")
	}
	want(t, "in the middle", f.news(&marks), "")
	f.write("a", "3\n")
	f.git("add", "a")
	f.git("-c", "core.editor=true", "rebase", "--continue")
	want(t, "afterwards", f.news(&marks), "fits, clashes@side")
}

func TestReflogMarks(t *testing.T) {
	dir := t.TempDir()
	if LoadReflogMarks(filepath.Join(dir, "none")) != nil {
		t.Error("marks from nowhere")
	}
	for _, text := range []string{"", "{", `{"version": 99, "logs": {}}`} {
		file := filepath.Join(dir, "marks")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if LoadReflogMarks(file) != nil {
			t.Errorf("%q was taken", text)
		}
	}
	a, _, err := ReadReflogs(filepath.Join(dir, "no repository"), &ReflogMarks{}, time.Now())
	if err != nil || len(a.Made) > 0 {
		t.Errorf("%v, %v", a, err)
	}
	if os.Geteuid() != 0 {
		log := filepath.Join(dir, "logs", "HEAD")
		must(t, os.MkdirAll(filepath.Dir(log), 0o700))
		must(t, os.WriteFile(log, nil, 0))
		if _, _, err := ReadReflogs(dir, &ReflogMarks{}, time.Now()); err == nil {
			t.Error("a log that cannot be read is an empty one")
		}
	}
}
