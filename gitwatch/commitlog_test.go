package gitwatch

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

	"agentflow/memory"
)

// told renders commits as "subject|body|changes", one a line.
func told(t *testing.T, dir string, o HistoryOptions) string {
	t.Helper()
	var lines []string
	for c, err := range History(t.Context(), dir, o) {
		must(t, err)
		var changes []string
		for _, f := range c.Files {
			changes = append(changes, show(memory.ChangeList{Items: []memory.Change{f}}))
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s", c.Subject, c.Body, strings.Join(changes, ", ")))
	}
	return strings.Join(lines, "\n")
}

func TestHistory(t *testing.T) {
	f := newFixture(t)
	odd := "a \"b\"\tc\n\xff"
	f.commit("first", "one.txt", strings.Repeat("line\n", 20), odd, "x")
	f.commit("second\n\nA body.\n\nIn two parts.", "sub/two.txt", "2\n")
	f.git("mv", "one.txt", "sub/moved.txt")
	f.commit("move")
	f.git("commit", "-q", "--allow-empty", "-m", "nothing")
	f.git("checkout", "-q", "-b", "side")
	f.commit("aside", "side.txt", "s")
	f.git("checkout", "-q", "main")
	must(t, os.Remove(f.path(odd)))
	f.commit("gone")
	f.git("merge", "-q", "--no-ff", "-m", "bring in", "side")
	f.commit("two more", "x1", strings.Repeat("x\n", 30), "y1", strings.Repeat("y\n", 30))
	f.git("mv", "x1", "x2")
	f.git("mv", "y1", "y2")
	f.commit("both changed", "x2", strings.Repeat("x\n", 31), "y2", strings.Repeat("y\n", 31))

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
	want(t, "all", told(t, f.dir, HistoryOptions{}), strings.Join(all, "\n"))
	want(t, "from a folder", told(t, f.path("sub"), HistoryOptions{}), strings.Join(all, "\n"))
	want(t, "the last", told(t, f.dir, HistoryOptions{Last: 2}), strings.Join(all[6:], "\n"))

	for _, setting := range []string{"log.showSignature true", "log.showRoot false", "diff.renames false", "diff.relative true", "color.ui always",
		"format.pretty oneline", "log.date iso", "log.follow true", "diff.orderFile nowhere", "diff.renameLimit 1", "log.diffMerges off", "diff.noprefix true"} {
		key, value, _ := strings.Cut(setting, " ")
		f.git("config", key, value)
	}
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	want(t, "whatever is set", told(t, f.path("sub"), HistoryOptions{}), strings.Join(all, "\n"))

	for c, err := range History(t.Context(), f.dir, HistoryOptions{}) {
		must(t, err)
		if len(c.ID) != 40 || c.Time.Before(fixed) {
			t.Errorf("commit %q of %v", c.ID, c.Time)
		}
		break // git is ended, and nothing more is yielded
	}
}

// raw makes a commit that changes nothing, at a time of its own.
func (f *fixture) raw(name, when string, parents ...string) string {
	f.t.Helper()
	text := "tree " + strings.TrimSpace(f.git("write-tree")) + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	id, err := f.trySTDIN(text+"author A <a@b> 1000000000 +0000\ncommitter A <a@b> "+when+"\n\n"+name+"\n", "hash-object", "-t", "commit", "-w", "--stdin")
	must(f.t, err)
	return strings.TrimSpace(id)
}

func TestHistoryWithWrongClocks(t *testing.T) {
	f := newFixture(t)
	root := f.raw("root", "1000000100 -0330")
	older := f.raw("from the past", "1000000050 +0000", root)
	newer := f.raw("newer", "1000000200 +0000", root)
	f.git("update-ref", "HEAD", f.raw("merge", "1000000300 +0000", older, newer))
	want(t, "order", told(t, f.dir, HistoryOptions{}), "root||\nfrom the past||\nnewer||")
	for c, err := range History(t.Context(), f.dir, HistoryOptions{}) {
		must(t, err)
		want(t, "zone", c.Time.Format("2006-01-02T15:04:05-07:00"), "2001-09-08T22:18:20-03:30")
		break
	}
}

func TestHistoryErrors(t *testing.T) {
	f := newFixture(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		dir  string
		says string
	}{
		"no commit":     {t.Context(), f.dir, "does not have any commits"},
		"no repository": {t.Context(), t.TempDir(), "not a git repository"},
		"no folder":     {t.Context(), f.path("missing"), "missing"},
		"cancelled":     {cancelled, f.dir, "canceled"},
	} {
		n := 0
		for _, err := range History(c.ctx, c.dir, HistoryOptions{}) {
			if n++; err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "reading the history of ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: yielded %d times", name, n)
		}
	}
	t.Setenv("PATH", t.TempDir())
	for _, err := range History(t.Context(), f.dir, HistoryOptions{}) {
		if !errors.Is(err, errNoGit) {
			t.Errorf("without git: %v", err)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte("\x00a1\x00p\x001570329951 +0200\x00s\x00b\n\x00\x00\n:1 1 a b M\x00p\x00:1 1 a b R100\x00old\x00new\x001\t2\tp\x00-\t-\t\x00old\x00new\x00\x00a2\x00\x001 +0000\x00\x00\x00\x00"))
	f.Add([]byte("\x00a1\x00p q\x001 +0000\x00s\x00b\x00\x00\x00::1 1 1 a b c MM\x00p\x00"))
	f.Add([]byte("\x00a1\x00\x00x\x00s\x00b\x00\x00"))
	f.Add([]byte("\x00a1\x00\x001\x00s"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var all []HistoryCommit
		enough, err := readLog(bytes.NewReader(in), func(c HistoryCommit) bool { all = append(all, c); return true })
		if enough {
			t.Fatal("enough without being told")
		}
		if errors.Is(err, io.EOF) {
			t.Fatal("the end of the output is no error")
		}
		for _, c := range all {
			if c.ID == "" {
				t.Fatalf("a commit without an id: %+v", c)
			}
		}
		// What was read before an error is read again from its own bytes.
		first := 0
		if enough, _ := readLog(bytes.NewReader(in), func(HistoryCommit) bool { first++; return false }); enough != (len(all) > 0) || first > 1 {
			t.Fatalf("stopped at %d of %d", first, len(all))
		}
	})
}
