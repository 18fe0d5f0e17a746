package frozen

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
)

// TestOldState opens the memory, the log, the folders of runs and the index
// that version 82e0ae7d wrote (testdata/old.zip: a repository and its home),
// and compares the answers with old.txt.
func TestOldState(t *testing.T) {
	l := oldState(t)
	var b strings.Builder
	for _, command := range [][]string{
		{"log", "-n", "0"},
		{"log", "--kind", "commit", "-n", "0"},
		{"memory", "list"},
		{"memory", "list", "--struck"},
		{"show", "039da8"},
		{"show", "f316e0"},
		{"show", "7abccb"},
		{"show", "7e34b9"},
		{"diff", "039da8"},
		{"diff", "7e34b9"},
		{"search", "--json=path,start_line,heading,text", "ferry timetable departures"},
		{"search", "--json=path,start_line,heading,text", "harbour tests"},
		{"files", "sort the departures of the ferry timetable"},
		{"why", "timetable.go:3"},
		{"why", "crane/paint.go:1"},
		{"why", "crane/oil.go:4"},
		{"recall", "Sort the departures of the ferry timetable by hour"},
		{"memory", "export"},
		{"memory", "export", "--format", "markdown"},
		{"undo", "--dry-run", "7e34b9"},
		{"undo", "--dry-run", "039da8"},
	} {
		fmt.Fprintf(&b, "$ agentflow %s\n%s\n", strings.Join(command, " "), answer(l, command))
	}
	same(t, "testdata/old.txt", b.String())
}

// answer returns what a command prints on both outputs, without the folder.
func answer(l *labtest.Lab, command []string) string {
	out, err := l.Command(command...).CombinedOutput()
	text := strings.ReplaceAll(string(out), l.Repo, "REPO")
	if err != nil {
		text += err.Error() + "\n"
	}
	return text
}

// oldState returns a lab with the files of the old version.
func oldState(t *testing.T) *labtest.Lab {
	t.Helper()
	l := labtest.New(t, "")
	archive, err := zip.OpenReader("testdata/old.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	root := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(root, archive); err != nil {
		t.Fatal(err)
	}
	l.Repo = filepath.Join(root, "repo")
	return l.With("HOME="+filepath.Join(root, "home"), "TZ=UTC", "COLUMNS=120")
}
