package gitwatch

import (
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// blobsOf renders a list as "path blob", one a line.
func blobsOf(l changeset.List) string {
	var lines []string
	for _, c := range l.Items {
		lines = append(lines, c.Path+" "+c.Blob)
	}
	return strings.Join(lines, "\n")
}

func TestBlobsOfChanges(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "gone.txt", "gone\n", "old.txt", "a\nb\nc\n", "crlf.txt", "x\n", "clash.txt", "0\n")
	f.Git("branch", "other")
	f.Commit("ours", "clash.txt", "1\n")
	f.Git("checkout", "-q", "other")
	f.Commit("theirs", "clash.txt", "2\n")
	f.Git("config", "core.autocrlf", "true")
	set := f.during(func() {
		f.Commit("made", "made.txt", "made\n")
		if _, err := f.Try("merge", "-q", "main"); err == nil {
			t.Fatal("merged")
		}
		f.Git("mv", "old.txt", "new.txt")
		f.Write("crlf.txt", "y\r\n")
		gittest.Must(t, os.Remove(f.Path("gone.txt")))
	})
	id := func(content string) string {
		out, err := f.TryWith(content, "hash-object", "--stdin")
		gittest.Must(t, err)
		return out[:8]
	}
	gittest.Want(t, "made", blobsOf(set.Changes), "made.txt "+id("made\n"))
	gittest.Want(t, "left", blobsOf(set.Uncommitted), strings.Join([]string{
		"clash.txt ", "crlf.txt " + id("y\n"), "gone.txt 00000000", "new.txt " + id("a\nb\nc\n"),
	}, "\n"))
}
