package edits

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

func TestWrittenIsRead(t *testing.T) {
	dir := t.TempDir()
	content := []byte("what it was\n")
	id := git.SHA1.BlobID(content)
	was := File{Mode: git.ModeFile, Hash: id, Kept: id}
	odd := Change{Path: "latin\xe9", OldPath: "odd\nname", Before: was, After: File{Mode: git.ModeExec, Hash: id}, Held: &File{Mode: git.ModeFile}, Stayed: true, Unmerged: true}
	w, err := Create(dir)
	gittest.Must(t, err)
	gittest.Must(t, w.Keep(id, content))
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half an archive is there: %v", err)
	}
	gittest.Must(t, w.Finish(t.Context(), []Change{odd}, []Change{{Path: "a", After: was}}, 3))

	left, err := Load(dir)
	gittest.Must(t, err)
	if len(left) != 1 || left[0].Held == nil || *left[0].Held != *odd.Held {
		t.Fatalf("got %+v", left)
	}
	left[0].Held = odd.Held
	gittest.Want(t, "left", fmt.Sprintf("%+v", left), fmt.Sprintf("%+v", []Change{odd}))
	committed, err := LoadCommitted(dir)
	gittest.Must(t, err)
	gittest.Want(t, "committed", fmt.Sprintf("%+v", committed), fmt.Sprintf("%+v", []Change{{Path: "a", After: was}}))
	moved, err := LoadMoved(dir)
	gittest.Must(t, err)
	gittest.Want(t, "moved", fmt.Sprint(moved), "3")
	archive, err := OpenArchive(dir)
	gittest.Must(t, err)
	defer archive.Close()
	got, err := archive.Contents(was)
	gittest.Must(t, err)
	gittest.Want(t, "contents", string(got), string(content))
	if _, err := archive.Contents(File{Mode: git.ModeFile, Hash: id}); !errors.Is(err, ErrNotKept) {
		t.Errorf("contents of no copy: %v", err)
	}
}

func TestDamagedCopy(t *testing.T) {
	dir := t.TempDir()
	id := git.SHA1.BlobID([]byte("what it was\n"))
	w, err := Create(dir)
	gittest.Must(t, err)
	gittest.Must(t, w.Keep(id, []byte("something else\n")))
	gittest.Must(t, w.Finish(t.Context(), nil, nil, 0))
	archive, err := OpenArchive(dir)
	gittest.Must(t, err)
	defer archive.Close()
	if _, err := archive.Contents(File{Mode: git.ModeFile, Hash: id, Kept: id}); err == nil {
		t.Error("another's contents are taken for the file's")
	}
}

func TestEndedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir)
	gittest.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Finish(ctx, nil, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	names, err := os.ReadDir(dir)
	gittest.Must(t, err)
	gittest.Want(t, "left", fmt.Sprint(len(names)), "0")
}

func TestBelow(t *testing.T) {
	all := []Change{{Path: "a/b"}, {Path: "ab"}, {Path: "new", OldPath: "a/old"}}
	for _, c := range []struct {
		paths []string
		want  string
	}{{nil, "a/b ab new "}, {[]string{"a"}, "a/b new "}, {[]string{"."}, "a/b ab new "}, {[]string{"ab", "b"}, "ab "}} {
		got := ""
		for _, e := range Below(all, c.paths) {
			got += e.Path + " "
		}
		gittest.Want(t, fmt.Sprint(c.paths), got, c.want)
	}
}
