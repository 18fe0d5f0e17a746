package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReflogByGit reads one reflog from its file and through git.
func TestReflogByGit(t *testing.T) {
	f := newFixture(t)
	r := f.open()
	none, err := r.gitReflog(t.Context())
	must(t, err)
	want(t, "unborn", fmt.Sprint(none), "[]")
	f.commit("first\tline", "a", "a")
	f.commit("second", "a", "b")
	f.git("checkout", "-q", "-b", "side", "HEAD~1")
	f.git("checkout", "-q", "--detach", "main")
	f.git("reset", "-q", "--hard", "HEAD~1")
	byFile, err := r.reflog(t.Context())
	must(t, err)
	byGit, err := r.gitReflog(t.Context())
	must(t, err)
	want(t, "reflog", fmt.Sprint(byGit), fmt.Sprint(byFile))
	if len(byFile) != 5 || byFile[4].message != "reset: moving to HEAD~1" {
		t.Errorf("got %+v", byFile)
	}
}

// TestStoresAgree asks go-git and the git program the same.
func TestStoresAgree(t *testing.T) {
	f := newFixture(t)
	f.commit("first", "a", "a", "dir/b", strings.Repeat("b", 1000))
	f.git("tag", "-a", "-m", "a tag", "v1")
	f.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	f.git("clone", "-q", "--bare", "--depth=1", "file://"+f.dir, "../shallow")
	must(t, os.Rename(f.path("../shallow/shallow"), f.path(".git/shallow")))
	r := f.open()
	for _, at := range []string{"main", "--detach", "--orphan=none"} {
		f.git("checkout", "-q", at)
		var told []string
		for _, s := range []store{r.openGo(), &gitStore{repo: r, ctx: t.Context()}} {
			defer s.close()
			branch, head, err := s.head()
			must(t, err)
			refs, err := s.refs()
			must(t, err)
			grafts, err := s.shallow()
			must(t, err)
			says := fmt.Sprintln(branch, head, refs, grafts)
			for _, name := range []string{"v1", "main", "main^{tree}", "main:dir/b"} {
				id := knownID(strings.TrimSpace(f.git("rev-parse", name)))
				kind, raw, err := s.object(id, noLimit)
				must(t, err)
				_, _, large := s.object(id, 100)
				says += fmt.Sprintf("%s %q %v\n", kind, raw, large)
			}
			_, _, err = s.object(knownID(idA), noLimit)
			_, _, small := s.object(knownID(idA), 10)
			told = append(told, says+fmt.Sprint(isMissing(err), isMissing(small)))
		}
		want(t, at, told[1], told[0])
	}
}

// TestPartialClone leaves out what git would fetch: the file it belongs to
// could not be read, all else is told, and nothing is fetched.
func TestPartialClone(t *testing.T) {
	for _, by := range []string{"go-git", "git"} {
		t.Run(by, func(t *testing.T) {
			f := newFixture(t)
			f.commit("first", "a.txt", "a\n", "b.txt", "b\n", "c.txt", "c\n")
			f.commit("second", "b.txt", "b\nb\n")
			f.git("config", "uploadpack.allowFilter", "true")
			f.git("clone", "-q", "--filter=blob:none", "file://"+f.dir, "../clone")
			c := f.at(f.path("../clone"), f.run)
			marker := f.path("../fetched")
			c.git("config", "remote.origin.url", "ext::touch "+marker)
			c.git("config", "protocol.ext.allow", "always")
			if by == "git" {
				c.write(".git/objects/info/alternates", filepath.Join(f.dir, ".git", "nothing"))
			}
			set := c.during(func() {
				c.git("reset", "-q", "--soft", "HEAD~1")
				c.write("b.txt", "other\n")
				c.write("c.txt", "c\nd\n")
				c.git("commit", "-qam", "mine")
				c.write("a.txt", "x\n")
			})
			want(t, "changes", show(set.Changes), "M b.txt (contents could not be read)\nM c.txt +1 -0")
			want(t, "uncommitted", show(set.Uncommitted), "M a.txt +1 -1")
			want(t, "meanwhile", show(set.Meanwhile), "")
			if exists(marker) {
				t.Error("it was fetched")
			}
			// The same question with the network allowed does fetch: the marker is real.
			_, _ = c.try("cat-file", "-p", "HEAD~1:b.txt")
			if !exists(marker) {
				t.Error("nothing would ever have been fetched")
			}
		})
	}
}

// TestGitsWarnings: what git could not read, and says beside its answer, leaves
// the whole answer in doubt.
func TestGitsWarnings(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	f.git("update-index", "--split-index")
	f.write(".gitattributes", strings.Repeat("x", 3000)+" text\n") // too long for git
	f.write("a", "b")
	set := f.during(func() { f.write("a", "c"); f.write("b", "b") })
	want(t, "claimed", fmt.Sprint(len(set.Uncommitted.Items), len(set.Meanwhile.Items)), "0 0")
	if set.Uncommitted.Unread == "" || set.Meanwhile.Unread == "" {
		t.Errorf("unread: %q, %q", set.Uncommitted.Unread, set.Meanwhile.Unread)
	}
}

func TestVerbOf(t *testing.T) {
	for line, verb := range map[string]string{"status -z": "status", "-c a=b -c c=d log -g": "log", "--literal-pathspecs ls-files -z": "ls-files", "-c": "-c"} {
		want(t, line, verbOf(strings.Fields(line)), verb)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("1 .M N... 100644 100644 100644 " + idA + " " + idA + " a b")
	f.Add("u UU N... 100644 100644 100644 100644 " + idA + " " + idA + " " + idA + " a b")
	f.Add("? a\nb")
	f.Fuzz(func(t *testing.T, record string) {
		p, err := parseStatus(record)
		if err == nil && !strings.HasSuffix(record, p.path) {
			t.Errorf("%q: path %q", record, p.path)
		}
	})
}

// TestBrokenFilter: what a filter fails on could not be read. It is not said
// to be as HEAD has it, and other converted files are told all the same.
func TestBrokenFilter(t *testing.T) {
	for _, index := range []string{"--no-split-index", "--split-index"} {
		t.Run(index, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", ".gitattributes", "*.bin filter=up\n", "one.bin", "one\n", "two.bin", "two\n", "three.bin", "three\n")
			f.git("config", "filter.up.clean", "tr A-Z a-z")
			f.git("config", "filter.up.required", "true")
			f.git("update-index", index)
			f.write("one.bin", "the user's\n")
			set := f.during(func() {
				f.git("config", "filter.up.clean", "grep -v BREAK")
				f.write("one.bin", "BREAK\n")
				f.write("two.bin", "run\n")
				f.write("three.bin", "BREAK it\n") // of another size, so that git status need not filter it
			}, func(ev *Evidence) { ev.Touched = []string{"one.bin"} })
			var told []string
			for _, c := range set.Uncommitted.Items {
				told = append(told, fmt.Sprintf("%c %s", c.Status, c.Path))
			}
			want(t, "uncommitted", strings.Join(told, ", "), "M two.bin")
			for _, name := range []string{"one.bin: ", "three.bin: "} {
				if !strings.Contains(set.Uncommitted.Unread, name+"it is converted by git") {
					t.Errorf("%snot said to be unread: %q", name, set.Uncommitted.Unread)
				}
			}
		})
	}
}
