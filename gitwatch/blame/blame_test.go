package blame

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// told renders an answer: the lines, their commit's subject, and their places in that commit.
func told(t *testing.T, f File) string {
	t.Helper()
	var list []string
	for _, h := range f.Hunks {
		subject := "not committed"
		if h.Commit != "" {
			c := f.Commits[h.Commit]
			if subject = c.Subject; c.Boundary {
				subject += "^"
			}
			if c.Time.Before(gittest.Start) {
				t.Errorf("%s is of %v", c.Subject, c.Time)
			}
		}
		list = append(list, fmt.Sprintf("%d-%d %s %s:%d", h.Line, h.Line+h.Count-1, subject, h.Path, h.Was))
	}
	return strings.Join(list, ", ")
}

func TestLines(t *testing.T) {
	f := gittest.New(t)
	odd := "a \"b\"\tc\n\xff"
	f.Commit("first", odd, "one\ntwo\nthree\nfour\n")
	f.Commit("second", odd, "one\ntwo\nnew\nthree\nfour\n")
	f.Git("mv", "--", odd, "-moved")
	f.Commit("move")
	f.Write("-moved", "one\ntwo\nnew\nthree\nfour\nleft")
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{0, 0, "1-2 first^ " + odd + ":1, 3-3 second " + odd + ":3, 4-5 first^ " + odd + ":3, 6-6 not committed -moved:6"},
		{3, 3, "3-3 second " + odd + ":3"},
		{5, 6, "5-5 first^ " + odd + ":4, 6-6 not committed -moved:6"},
	} {
		got, err := Lines(t.Context(), f.Dir, "", "-moved", c.from, c.to)
		gittest.Must(t, err)
		gittest.Want(t, fmt.Sprint(c.from, c.to), told(t, got), c.want)
	}
	got, err := Lines(t.Context(), f.Dir, "HEAD~2", odd, 2, 3)
	gittest.Must(t, err)
	gittest.Want(t, "as a commit has it", told(t, got), "2-3 first^ "+odd+":2")

	for _, setting := range []string{"blame.showRoot true", "blame.coloring highlightRecent", "color.ui always", "core.quotePath false", "blame.date iso", "blame.showEmail true", "blame.blankBoundary true"} {
		key, value, _ := strings.Cut(setting, " ")
		f.Git("config", key, value)
	}
	t.Setenv("GIT_DIR", "/nowhere")
	got, err = Lines(t.Context(), f.Dir, "", "-moved", 3, 4)
	gittest.Must(t, err)
	gittest.Want(t, "whatever is set", told(t, got), "3-3 second "+odd+":3, 4-4 first^ "+odd+":3")

	second := strings.TrimSpace(f.Git("rev-parse", "HEAD~1"))
	f.Write("ignored", second+"\n")
	f.Git("config", "blame.ignoreRevsFile", f.Path("ignored"))
	got, err = Lines(t.Context(), f.Dir, "", "-moved", 3, 3)
	gittest.Must(t, err)
	gittest.Want(t, "ignored revisions", told(t, got), "3-3 second "+odd+":3") // no other commit has the line
}

func TestNoLines(t *testing.T) {
	f := gittest.New(t)
	f.Write("new", "a\n")
	_, err := Lines(t.Context(), f.Dir, "", "new", 0, 0)
	if !errors.Is(err, ErrUncommitted) {
		t.Errorf("without a commit: %v", err)
	}
	f.Commit("first", "a", "1\n")
	f.Write("new", "a\n")
	f.Git("rm", "-q", "--cached", "new")
	f.Git("commit", "-q", "--amend", "-m", "first")
	if _, err := Lines(t.Context(), f.Dir, "", "new", 1, 1); !errors.Is(err, ErrUncommitted) {
		t.Errorf("untracked: %v", err)
	}
	f.Git("add", "new")
	got, err := Lines(t.Context(), f.Dir, "", "new", 0, 0)
	gittest.Must(t, err)
	gittest.Want(t, "staged", told(t, got), "1-1 not committed new:1")
	if _, err := Lines(t.Context(), f.Dir, "", "a", 5, 6); err == nil || errors.Is(err, ErrUncommitted) || !strings.Contains(err.Error(), "only 1 line") {
		t.Errorf("beyond the end: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lines(ctx, f.Dir, "", "a", 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRead(t *testing.T) {
	f := gittest.New(t)
	f.Write("dir/a", "1\n")
	gittest.Must(t, os.Symlink("dir/a", f.Path("link")))
	for path, want := range map[string]string{"dir/a": "1\n", "link": "dir/a"} {
		got, err := Read(f.Dir, path)
		gittest.Must(t, err)
		gittest.Want(t, path, string(got), want)
	}
	if _, err := Read(f.Dir, "dir"); !errors.Is(err, ErrNoFile) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(f.Dir, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	f.Commit("first", "a b", "text\n")
	got, err := Contents(t.Context(), f.Dir, "HEAD:a b")
	gittest.Must(t, err)
	gittest.Want(t, "contents", string(got), "text\n")
	if _, err := Contents(t.Context(), f.Dir, "HEAD:none"); err == nil {
		t.Error("contents of nothing")
	}
}

func TestStems(t *testing.T) {
	before, after := "package a\n\nfunc Old() {\n}\n", "package a\n\nfunc Old() {\n}\n\nfunc Added() {\n\treturn\n}\n"
	for name, c := range map[string]struct{ now, want string }{
		"as it was left":         {after, "....####"},
		"changed since":          {"package a\n\nfunc Old() {\n\tmine()\n}\n\nfunc Added() {\n\treturn\n}\n", ".....####"},
		"one line left":          {"package a\n\nfunc Old() {\n}\n\nfunc Added() {\n\tmine()\n}\n", "....##.."},
		"taken out":              {before, "...."},
		"other text, same ends":  {"package b\n\nfunc Other() {\n}\n\nvar x = 1\n}\n", "......."},
		"with other line ends":   {strings.ReplaceAll(after, "\n", "\r\n"), "....####"},
		"without the last break": {strings.TrimSuffix(after, "\n"), "....####"},
		"nothing":                {"", ""},
	} {
		got := ""
		for _, is := range Stems([]byte(c.now), []byte(before), []byte(after)) {
			got += map[bool]string{true: "#", false: "."}[is]
		}
		gittest.Want(t, name, got, c.want)
	}
}

// FuzzReader: for any output of git, the answer holds hunks of known form, or is an error.
func FuzzReader(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add(id + " 1 2 3\nauthor A\ncommitter-time 5\ncommitter-tz +0200\nsummary s\nboundary\nfilename \"a\\tb\"\n" + strings.Repeat("0", 40) + " 5 5 1\nfilename c\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := reader{file: File{Commits: map[string]Commit{}}}
		if r.read(strings.NewReader(text)) != nil {
			return
		}
		r.file.sort()
		for _, h := range r.file.Hunks {
			if h.Line < 1 || h.Count < 1 || h.Was < 1 || h.Commit != "" && len(h.Commit) != 40 && len(h.Commit) != 64 {
				t.Errorf("%+v", h)
			}
		}
		for id, c := range r.file.Commits {
			if len(id) < 40 || strings.ContainsAny(c.Subject, "\n\x1b\x00") {
				t.Errorf("%s: %+v", id, c)
			}
		}
	})
}
