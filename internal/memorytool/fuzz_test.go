package memorytool

import (
	"errors"
	"strings"
	"testing"

	"agentflow/internal/testing/hostiletest"
	"agentflow/memory"
)

// FuzzDo gives Do commands of arbitrary bytes. The edits always fit the files and stay below
// notes, the answer or the error has text, and the next command sees the result of the edits.
func FuzzDo(f *testing.F) {
	for i, path := range hostiletest.Paths(40) {
		f.Add([]string{View, Create, StrReplace, Insert, Delete, Rename}[i%6], path, "/memories/x", "a", "b", i)
	}
	f.Add(StrReplace, "/memories/prefs.txt", "", "size: 4\nshape", "\n\n", 0)
	f.Add(Rename, "/memories/work", "/memories/work/deep/y", "", "", 0)
	f.Add(Insert, "/memories/win.txt", "", "", "x\r\n", 2)
	f.Fuzz(func(t *testing.T, command, path, other, text, more string, n int) {
		files := stored()
		c := Command{Command: command, Path: path, OldPath: path, NewPath: other, FileText: &text, OldStr: text, NewStr: more, InsertLine: &n, InsertText: &more, ViewRange: []int{n, n + len(text)}}
		result, err := Do(files, c, asItIs, whole)
		if err != nil {
			var tool *Error
			if !errors.As(err, &tool) || tool.Text == "" || tool.Why == 0 || result.Text != "" || result.Edits != nil {
				t.Fatalf("%+v: %v, %+v", c, err, result)
			}
			return
		}
		if result.Text == "" || !c.Writes() && result.Edits != nil {
			t.Fatalf("%+v: %+v", c, result)
		}
		after := applied(t, files, result.Edits)
		for name, content := range after {
			if _, noted := memory.CutNotes(name); !noted && string(content) != string(files[name]) {
				t.Fatalf("%+v changes %s", c, name)
			}
		}
		if len(after) < len(files)-len(result.Edits) {
			t.Fatalf("%+v takes files away", c)
		}
		switch command {
		case Create:
			wantFile(t, after, path, memory.Clean(text))
		case Rename:
			if _, err := Do(after, Command{Command: View, Path: path}, asItIs, whole); err == nil {
				t.Fatalf("%+v: %s is still there", c, path)
			}
			if _, err := Do(after, Command{Command: View, Path: other}, asItIs, whole); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
		}
	})
}

// wantFile insists on a file, as the model sees it.
func wantFile(t *testing.T, files map[string][]byte, path, text string) {
	t.Helper()
	clean, err := cleanPath(path)
	if err != nil {
		t.Fatal(err)
	}
	got, there := newFolder(files, asItIs, whole).file(clean)
	if !there || got != text {
		t.Fatalf("%q holds %q, not %q", path, got, text)
	}
}

// applied returns the files after the edits, as a caller of Do applies them.
func applied(t *testing.T, files map[string][]byte, edits []memory.FileEdit) map[string][]byte {
	t.Helper()
	after := map[string][]byte{}
	for name, content := range files {
		after[name] = content
	}
	seen := map[string]bool{}
	for _, e := range edits {
		now, there := files[e.File]
		if seen[e.File] || !staysInside(e.File) || there != (e.Before != nil) || string(now) != string(e.Before) {
			t.Fatalf("the edit of %q does not fit", e.File)
		}
		if seen[e.File] = true; e.After == nil {
			delete(after, e.File)
		} else {
			after[e.File] = e.After
		}
	}
	return after
}

// TestBounds fills the folder up to its limits.
func TestBounds(t *testing.T) {
	files := map[string][]byte{}
	for i := range MaxFiles {
		files["notes/f"+strings.Repeat("x", i%100)+string(rune('a'+i/100))+"..md"] = []byte("x")
	}
	if len(files) != MaxFiles {
		t.Fatalf("%d files", len(files))
	}
	_, err := Do(files, Command{Command: Create, Path: "/memories/more", FileText: of("x")}, asItIs, whole)
	if err == nil || err.Error() != "File /memories/more was not created: /memories holds 1000 files already, and no more are kept. Delete some first" {
		t.Error(err)
	}
	files = map[string][]byte{}
	for _, name := range strings.Split("abcdefghij", "") {
		files["notes/"+name+"..md"] = []byte(strings.Repeat("x", MaxFile))
	}
	_, err = Do(files, Command{Command: Create, Path: "/memories/more", FileText: of("x")}, asItIs, whole)
	if err == nil || err.Error() != "File /memories/more was not written: the files of /memories would have 10.0M, and have at most 10M. Delete some first" {
		t.Error(err)
	}
	files["notes/a..md"] = []byte(strings.Repeat("x", MaxFile) + "end") // a person made it larger
	if _, err := Do(files, Command{Command: StrReplace, Path: "/memories/a", OldStr: "end", NewStr: ""}, asItIs, whole); err != nil {
		t.Errorf("a file that is too large cannot get smaller: %v", err)
	}
	lines := strings.Repeat("\n", MaxLines+1)
	_, err = Do(nil, Command{Command: Create, Path: "/memories/lines", FileText: &lines}, asItIs, whole)
	if err == nil || err.Error() != "File /memories/lines exceeds maximum line limit of 999,999 lines." {
		t.Error(err)
	}
}

// TestLongViewIsCut shows as much of a file as an answer takes, and how to see
// the rest.
func TestLongViewIsCut(t *testing.T) {
	files := map[string][]byte{"notes/a.txt.md": []byte(strings.Repeat(strings.Repeat("x", 999)+"\n", 300))}
	result, err := Do(files, Command{Command: View, Path: "/memories/a.txt"}, nil, whole)
	if err != nil || len(result.Text) > maxView+2000 || !strings.HasSuffix(result.Text, "\n[a.txt has 300 lines: view_range shows those from 100 on]") {
		t.Errorf("%v: %d bytes, %q", err, len(result.Text), result.Text[max(0, len(result.Text)-100):])
	}
	result, err = Do(files, Command{Command: View, Path: "/memories/a.txt", ViewRange: []int{100, -1}}, nil, whole)
	if err != nil || !strings.HasPrefix(result.Text, "Here's the content of /memories/a.txt with line numbers:\n   100\tx") {
		t.Errorf("%v: %q", err, result.Text[:100])
	}
}
