package gitwatch

import (
	"os"
	"strings"
	"testing"

	"agentflow/memory"
)

// blobsOf renders a list as "path blob", one a line.
func blobsOf(l memory.ChangeList) string {
	var lines []string
	for _, c := range l.Items {
		lines = append(lines, c.Path+" "+c.Blob)
	}
	return strings.Join(lines, "\n")
}

func TestBlobsOfChanges(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "gone.txt", "gone\n", "old.txt", "a\nb\nc\n", "crlf.txt", "x\n", "clash.txt", "0\n")
	f.git("branch", "other")
	f.commit("ours", "clash.txt", "1\n")
	f.git("checkout", "-q", "other")
	f.commit("theirs", "clash.txt", "2\n")
	f.git("config", "core.autocrlf", "true")
	set := f.during(func() {
		f.commit("made", "made.txt", "made\n")
		if _, err := f.try("merge", "-q", "main"); err == nil {
			t.Fatal("merged")
		}
		f.git("mv", "old.txt", "new.txt")
		f.write("crlf.txt", "y\r\n")
		must(t, os.Remove(f.path("gone.txt")))
	})
	id := func(content string) string {
		out, err := f.trySTDIN(content, "hash-object", "--stdin")
		must(t, err)
		return out[:8]
	}
	want(t, "made", blobsOf(set.Changes), "made.txt "+id("made\n"))
	want(t, "left", blobsOf(set.Uncommitted), strings.Join([]string{
		"clash.txt ", "crlf.txt " + id("y\n"), "gone.txt 00000000", "new.txt " + id("a\nb\nc\n"),
	}, "\n"))
}
