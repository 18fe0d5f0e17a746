package gitwatch

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestPartialClone has contents that git would have to fetch. The file with them could not be read,
// everything else is reported, and nothing is fetched.
func TestPartialClone(t *testing.T) {
	for _, by := range []string{"us", "git"} {
		t.Run(by, func(t *testing.T) {
			f := newFixture(t)
			if by == "git" {
				gittest.Must(t, os.RemoveAll(f.Path(".git")))
				f.Git("init", "-q", "-b", "main", "--object-format=sha256")
			}
			f.Commit("first", "a.txt", "a\n", "b.txt", "b\n", "c.txt", "c\n")
			f.Commit("second", "b.txt", "b\nb\n")
			f.Git("config", "uploadpack.allowFilter", "true")
			f.Git("clone", "-q", "--filter=blob:none", "file://"+f.Dir, "../clone")
			c := f.at(f.Path("../clone"), f.Run)
			marker := f.Path("../fetched")
			c.Git("config", "remote.origin.url", "ext::touch "+marker)
			c.Git("config", "protocol.ext.allow", "always")
			set := c.during(func() {
				c.Git("reset", "-q", "--soft", "HEAD~1")
				c.Write("b.txt", "other\n")
				c.Write("c.txt", "c\nd\n")
				c.Git("commit", "-qam", "mine")
				c.Write("a.txt", "x\n")
			})
			gittest.Want(t, "changes", gittest.Show(set.Changes), "M b.txt (contents could not be read)\nM c.txt +1 -0")
			gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M a.txt +1 -1")
			gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
			if onDisk(marker) {
				t.Error("it was fetched")
			}
			// The same question with the network allowed does fetch: the marker is real.
			_, _ = c.Try("cat-file", "-p", "HEAD~1:b.txt")
			if !onDisk(marker) {
				t.Error("nothing would ever have been fetched")
			}
		})
	}
}

// TestBrokenFilter: a file for which a filter fails could not be read. It is not reported as
// unchanged, and other converted files are reported all the same.
func TestBrokenFilter(t *testing.T) {
	for _, index := range []string{"--no-split-index", "--split-index"} {
		t.Run(index, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", ".gitattributes", "*.bin filter=up\n", "one.bin", "one\n", "two.bin", "two\n", "three.bin", "three\n")
			f.Git("config", "filter.up.clean", "tr A-Z a-z")
			f.Git("config", "filter.up.required", "true")
			f.Git("update-index", index)
			f.Write("one.bin", "the user's\n")
			set := f.during(func() {
				f.Git("config", "filter.up.clean", "grep -v BREAK")
				f.Write("one.bin", "BREAK\n")
				f.Write("two.bin", "run\n")
				f.Write("three.bin", "BREAK it\n") // of another size, so that git status need not filter it
			}, func(ev *Evidence) { wrote(ev, "one.bin"); ev.Tells = false })
			var told []string
			for _, c := range set.Uncommitted.Items {
				told = append(told, fmt.Sprintf("%c %s", c.Status, c.Path))
			}
			gittest.Want(t, "uncommitted", strings.Join(told, ", "), "M two.bin")
			for _, name := range []string{"one.bin: ", "three.bin: "} {
				if !strings.Contains(set.Uncommitted.Unread, name+"it is converted by git") {
					t.Errorf("%snot said to be unread: %q", name, set.Uncommitted.Unread)
				}
			}
		})
	}
}
