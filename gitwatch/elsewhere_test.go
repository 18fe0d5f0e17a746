package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// toolWrite has a file tool write a file, or remove it.
func (f *fixture) toolWrite(ev *Evidence, path, content string) {
	f.T.Helper()
	w := toolcalls.Write{Path: path, Before: toolcalls.NoText, After: toolcalls.TextID([]byte(content))}
	if old, err := os.ReadFile(path); err == nil {
		w.Before = toolcalls.TextID(old)
	}
	gittest.Must(f.T, os.MkdirAll(filepath.Dir(path), 0o700))
	gittest.Must(f.T, os.WriteFile(path, []byte(content), 0o600))
	ev.Tells = true
	ev.Calls = append(ev.Calls, toolcalls.Call{Began: ev.Started, Ended: ev.Started, Wrote: []toolcalls.Write{w}})
}

// TestElsewhere: files that file tools wrote outside of the working tree.
func TestElsewhere(t *testing.T) {
	f := newFixture(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	gittest.Must(t, err)
	f.Write("kept.txt", "one\ntwo\n")
	f.Commit("begin")
	linked, plain := filepath.Join(home, "linked"), filepath.Join(home, "plain")
	f.Git("worktree", "add", "-q", "-b", "topic", linked)
	at := func(name string) string { return filepath.Join(linked, name) }
	var ev Evidence
	set := f.during(func() {
		f.toolWrite(&ev, at("new.txt"), "1\n2\n")
		f.toolWrite(&ev, at("kept.txt"), "one\nthree\n")
		f.toolWrite(&ev, at("same.txt"), "x\n")
		gittest.Must(t, os.Remove(at("same.txt")))
		f.toolWrite(&ev, at("touched.txt"), "by the tool\n")
		gittest.Must(t, os.WriteFile(at("touched.txt"), []byte("by somebody else\n"), 0o600))
		f.toolWrite(&ev, filepath.Join(plain, "plan.md"), "plan\n")
		f.toolWrite(&ev, filepath.Join(plain, "private.md"), "mine\n")
		ev.Calls[len(ev.Calls)-1].Wrote[0].Private = true
		f.toolWrite(&ev, at("untold.txt"), "x\n")
		ev.Calls[len(ev.Calls)-1].Wrote[0].Before = ""
		f.toolWrite(&ev, filepath.Join(f.Dir, "own.txt"), "own\n")
		f.toolWrite(&ev, at("done.txt"), "done\n")
		f.Git("-C", linked, "add", "done.txt")
		f.Git("-C", linked, "commit", "-qm", "done")
		ev.Calls = append(ev.Calls, toolcalls.Call{Began: ev.Started, Ended: ev.Started, Names: []string{at("guessed.txt")}})
		gittest.Must(t, os.WriteFile(at("guessed.txt"), []byte("a shell's\n"), 0o600))
	}, func(e *Evidence) {
		e.Tells, e.Calls, e.Home, e.Keep = true, ev.Calls, home, func([]byte) bool { return true }
	})
	var lines string
	for _, c := range set.Elsewhere.Items {
		lines += fmt.Sprintf("%c %s %s +%d -%d %s\n", c.Status, c.Tree, c.InTree(), c.Added, c.Deleted, c.Certainty)
	}
	gittest.Want(t, "elsewhere", lines, `M ~/linked kept.txt +1 -1 shown
A ~/linked new.txt +2 -0 shown
A ~/linked touched.txt +1 -0 shown
A ~/linked untold.txt +1 -0 shown
A  ~/plain/plan.md +1 -0 shown
`)
	gittest.Want(t, "in its own tree", pathsOf(set.Uncommitted.Items)+", "+pathsOf(set.Changes.Items), "own.txt, done.txt")
	kept, err := edits.LoadElsewhere(f.Run)
	gittest.Must(t, err)
	archive, err := edits.OpenArchive(f.Run)
	gittest.Must(t, err)
	defer archive.Close()
	for _, c := range kept {
		after, err := archive.Contents(c.After)
		gittest.Must(t, err)
		now, err := os.ReadFile(c.File())
		gittest.Must(t, err)
		gittest.Want(t, c.Path, string(after), string(now))
		mixed := edits.MixedNo
		if c.Path == "touched.txt" || c.Path == "untold.txt" {
			mixed = edits.MixedUnknown
		}
		gittest.Want(t, c.Path, string(c.Mixed), string(mixed))
	}
}

func pathsOf(changes []changeset.Change) (paths string) {
	for _, c := range changes {
		paths += c.Path
	}
	return paths
}
