package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// told renders commits as "subject|body|changes", one per line.
func told(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	for c, err := range All(t.Context(), dir) {
		gittest.Must(t, err)
		var changes []string
		for _, f := range c.Files {
			changes = append(changes, gittest.Show(changeset.List{Items: []changeset.Change{f}}))
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s", c.Subject, c.Body, strings.Join(changes, ", ")))
	}
	return strings.Join(lines, "\n")
}

func TestHistory(t *testing.T) {
	f := gittest.New(t)
	odd := "a \"b\"\tc\n\xff"
	f.Commit("first", "one.txt", strings.Repeat("line\n", 20), odd, "x")
	f.Commit("second\n\nA body.\n\nIn two parts.", "sub/two.txt", "2\n")
	f.Git("mv", "one.txt", "sub/moved.txt")
	f.Commit("move")
	f.Git("commit", "-q", "--allow-empty", "-m", "nothing")
	f.Git("checkout", "-q", "-b", "side")
	f.Commit("aside", "side.txt", "s")
	f.Git("checkout", "-q", "main")
	gittest.Must(t, os.Remove(f.Path(odd)))
	f.Commit("gone")
	f.Git("merge", "-q", "--no-ff", "-m", "bring in", "side")
	f.Commit("two more", "x1", strings.Repeat("x\n", 30), "y1", strings.Repeat("y\n", 30))
	f.Git("mv", "x1", "x2")
	f.Git("mv", "y1", "y2")
	f.Commit("both changed", "x2", strings.Repeat("x\n", 31), "y2", strings.Repeat("y\n", 31))

	all := []string{
		"first||A " + odd + ", A one.txt",
		"second|A body.\n\nIn two parts.|A sub/two.txt",
		"move||R sub/moved.txt <- one.txt",
		"nothing||",
		"aside||A side.txt",
		"gone||D " + odd,
		"two more||A x1, A y1",
		"both changed||R x2 <- x1, R y2 <- y1",
	}
	gittest.Want(t, "all", told(t, f.Dir), strings.Join(all, "\n"))
	gittest.Want(t, "from a folder", told(t, f.Path("sub")), strings.Join(all, "\n"))

	for _, setting := range []string{"log.showSignature true", "log.showRoot false", "diff.renames false", "diff.relative true", "color.ui always",
		"format.pretty oneline", "log.date iso", "log.follow true", "diff.orderFile nowhere", "diff.renameLimit 1", "log.diffMerges off", "diff.noprefix true"} {
		key, value, _ := strings.Cut(setting, " ")
		f.Git("config", key, value)
	}
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	gittest.Want(t, "whatever is set", told(t, f.Path("sub")), strings.Join(all, "\n"))

	for c, err := range All(t.Context(), f.Dir) {
		gittest.Must(t, err)
		if len(c.ID) != 40 || c.Time.Before(gittest.Start) {
			t.Errorf("commit %q of %v", c.ID, c.Time)
		}
		break // git is ended, and nothing more is yielded
	}
}

// raw makes a commit without changes, with a given time.
func raw(f *gittest.Repo, name, when string, parents ...string) string {
	f.T.Helper()
	text := "tree " + strings.TrimSpace(f.Git("write-tree")) + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	id, err := f.TryWith(text+"author A <a@b> 1000000000 +0000\ncommitter A <a@b> "+when+"\n\n"+name+"\n", "hash-object", "-t", "commit", "-w", "--stdin")
	gittest.Must(f.T, err)
	return strings.TrimSpace(id)
}

func TestHistoryWithWrongClocks(t *testing.T) {
	f := gittest.New(t)
	root := raw(f, "root", "1000000100 -0330")
	older := raw(f, "from the past", "1000000050 +0000", root)
	newer := raw(f, "newer", "1000000200 +0000", root)
	f.Git("update-ref", "HEAD", raw(f, "merge", "1000000300 +0000", older, newer))
	gittest.Want(t, "order", told(t, f.Dir), "root||\nfrom the past||\nnewer||")
	for c, err := range All(t.Context(), f.Dir) {
		gittest.Must(t, err)
		gittest.Want(t, "zone", c.Time.Format("2006-01-02T15:04:05-07:00"), "2001-09-08T22:18:20-03:30")
		break
	}
}

// TestHistoryWithoutDates: a commit that git cannot date keeps out no other.
func TestHistoryWithoutDates(t *testing.T) {
	f := gittest.New(t)
	id := raw(f, "root", "1000000100 -0330")
	for _, when := range []string{"1000000100", "", "x +0000", "99999999999999999999999 +0000"} {
		id = raw(f, "odd", when, id)
	}
	id = raw(f, "last", "1000000200 +0000", id)
	f.Git("update-ref", "HEAD", id)
	gittest.Want(t, "all", told(t, f.Dir), "root||"+strings.Repeat("\nodd||", 4)+"\nlast||")
	refs, err := IDs(t.Context(), f.Dir, Range{})
	gittest.Must(t, err)
	undated := 0
	for c, err := range All(t.Context(), f.Dir) {
		gittest.Must(t, err)
		if c.Time.IsZero() {
			undated++
		}
	}
	if undated != 3 || len(refs) != 6 {
		t.Errorf("%d of %d have no date", undated, len(refs))
	}
}

// TestHistoryLineEnds: the lines of messages end as on Unix, also those written with CR.
func TestHistoryLineEnds(t *testing.T) {
	f := gittest.New(t)
	root := raw(f, "one\r\n\r\nA body.\r\n\r\nIn two parts.\r", "1000000100 +0000")
	f.Git("update-ref", "HEAD", raw(f, "two\r\rA body.\rMore.\r", "1000000200 +0000", root))
	gittest.Want(t, "all", told(t, f.Dir), "one|A body.\n\nIn two parts.|\ntwo|A body.\nMore.|")
}

func TestHistoryErrors(t *testing.T) {
	f := gittest.New(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		dir  string
		says string
	}{
		"no commit":     {t.Context(), f.Dir, "does not have any commits"},
		"no repository": {t.Context(), t.TempDir(), "not a git repository"},
		"no folder":     {t.Context(), f.Path("missing"), "missing"},
		"cancelled":     {cancelled, f.Dir, "canceled"},
	} {
		n := 0
		for _, err := range All(c.ctx, c.dir) {
			if n++; err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "reading the history of ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: yielded %d times", name, n)
		}
	}
	t.Setenv("PATH", t.TempDir())
	for _, err := range All(t.Context(), f.Dir) {
		if !errors.Is(err, git.ErrNoProgram) {
			t.Errorf("without git: %v", err)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte("\x00a1\x00p\x001570329951 +0200\x00s\x00b\n\x00\x00\n:1 1 a b M\x00p\x00:1 1 a b R100\x00old\x00new\x001\t2\tp\x00-\t-\t\x00old\x00new\x00\x00a2\x00\x001 +0000\x00\x00\x00\x00"))
	f.Add([]byte("\x00a1\x00p q\x001 +0000\x00s\x00b\x00\x00\x00::1 1 1 a b c MM\x00p\x00"))
	f.Add([]byte("\x00a1\x00\x00x\x00s\x00b\x00\x00"))
	f.Add([]byte("\x00a1\x00\x001\x00s"))
	f.Add([]byte("\x00a1\x00\x00\x00s\r\rx\r\n\r\x00b\r\n\x00\x00\x00a2\x00\x001 +0000\x00\r\x00\r\x00\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var all []Commit
		err := readLog(bytes.NewReader(in), func(c Commit) bool { all = append(all, c); return true })
		if errors.Is(err, git.ErrEnough) {
			t.Fatal("enough without being told")
		}
		if errors.Is(err, io.EOF) {
			t.Fatal("the end of the output is no error")
		}
		for _, c := range all {
			if c.ID == "" || strings.Contains(c.Subject+c.Body, "\r") {
				t.Fatalf("a commit without an id, or with odd line ends: %+v", c)
			}
		}
		// The part read before an error is read again from its bytes.
		first := 0
		err = readLog(bytes.NewReader(in), func(Commit) bool { first++; return false })
		if enough := errors.Is(err, git.ErrEnough); enough != (len(all) > 0) || first > 1 {
			t.Fatalf("stopped at %d of %d", first, len(all))
		}
	})
}
