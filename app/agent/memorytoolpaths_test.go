package agent_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/hostiletest"
)

// outsideMark is in every file that no command may show.
const outsideMark = "FROM OUTSIDE"

// TestMemoryToolStaysInside gives every command 1,000 hostile paths, in a
// folder in which links lead out of notes, out of memory and out of the
// repository. Nothing outside is shown, changed, made or removed.
func TestMemoryToolStaysInside(t *testing.T) {
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/work/plan.md", "inside\n"))
	outside := t.TempDir()
	for _, file := range []string{filepath.Join(outside, "secret.txt"), filepath.Join(outside, "secret.txt.md"), filepath.Join(outside, "secret..md"), filepath.Join(outside, "MEMORY.md"), u.Path("src/secret.txt.md"), u.Path(".agentflow/memory/MEMORY.md"), u.Path(".agentflow/memory/secret.txt.md")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(outsideMark), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes := u.Path(".agentflow/memory/notes")
	for name, to := range map[string]string{
		"out": outside, "work/out": u.Path("src"), "out.txt.md": filepath.Join(outside, "secret.txt"), "out..md": filepath.Join(outside, "secret..md"),
		"self": ".", "up": "../..", "work/up.md": "../../MEMORY.md", "nowhere": filepath.Join(outside, "none"),
	} {
		link(t, to, filepath.Join(notes, filepath.FromSlash(name)))
	}
	// A hard link reads like a file of notes. Writing to it replaces it by another file.
	linked := filepath.Join(outside, "linked.txt.md")
	if err := os.WriteFile(linked, []byte("linked\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(linked, filepath.Join(notes, "linked.txt.md")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	before := tree(t, u.Repo, outside)
	answers := 0
	for i, path := range hostiletest.Paths(1000) {
		agent := agent.NewAgentSession(u.M, fact.Agent{Name: "hostile"}) // with a separate count of writes
		for _, c := range []memorytool.Command{apptest.Create(path, "mine"), hostileCommand(i, path), apptest.OnPath(memorytool.View, path)} {
			text, err := agent.MemoryTool(t.Context(), c)
			if strings.Contains(text, outsideMark) || err != nil && strings.Contains(err.Error(), outsideMark) {
				t.Fatalf("%+v shows a file from outside: %s", c, text)
			}
			if err != nil && app.AsError(err).Kind == app.KindInternal {
				t.Errorf("%+v: %v", c, err)
			}
			if err == nil {
				answers++
			}
		}
	}
	top, mine := 0, "mine"
	u.Do(memorytool.Command{Command: memorytool.Insert, Path: "/memories/linked.txt", InsertLine: &top, InsertText: &mine})
	if got := u.Note("linked.txt.md"); got != "mine\nlinked\n" {
		t.Errorf("the note holds %q", got)
	}
	after := tree(t, u.Repo, outside)
	if !maps.Equal(before, after) {
		for name := range after {
			if before[name] != after[name] {
				t.Errorf("%s was made or changed", name)
			}
		}
		t.Fatalf("of %d files outside there are %d", len(before), len(after))
	}
	if answers == 0 {
		t.Error("no command succeeded: the paths are not worth much")
	}
	t.Logf("%d commands succeeded, %d files outside are as they were", answers, len(after))
}

// hostileCommand returns one of the commands that change existing files.
func hostileCommand(i int, path string) memorytool.Command {
	line, text := 0, "mine"
	return []memorytool.Command{
		apptest.Replace(path, "FROM", "mine"),
		{Command: memorytool.Insert, Path: path, InsertLine: &line, InsertText: &text},
		apptest.OnPath(memorytool.Delete, path),
		apptest.Rename(path, fmt.Sprintf("/memories/moved%d.txt", i)),
		apptest.Rename("/memories/work/plan.md", path),
	}[i%5]
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no links here: ", err)
	}
}

// tree returns the files, folders and links below some folders with their contents, except notes, the log and the
// index.
func tree(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, item fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, path)
			switch filepath.ToSlash(rel) {
			case ".agentflow/memory/notes", ".agentflow/state", ".git/agentflow":
				return filepath.SkipDir
			}
			if !item.Type().IsRegular() {
				all[path] = item.Type().String()
				return nil
			}
			data, err := os.ReadFile(path)
			all[path] = fmt.Sprintf("%x", sha256.Sum256(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestMemoryToolBehindLinks checks that nothing is read or written through a link, whether notes is the link or a link
// is on the way.
func TestMemoryToolBehindLinks(t *testing.T) {
	const escapes = "Path would escape /memories directory via symlink"
	u := apptest.NewToolUser(t)
	outside := t.TempDir()
	u.Write(".agentflow/memory/MEMORY.md", "- mine\n")
	link(t, outside, u.Path(".agentflow/memory/notes"))
	u.Fails(apptest.Create("/memories/a.txt", "x"), app.KindRefused, escapes)
	if err := os.Remove(u.Path(".agentflow/memory/notes")); err != nil {
		t.Fatal(err)
	}
	link(t, "archive", u.Path(".agentflow/memory/notes"))
	u.Write(".agentflow/memory/archive/2026-10.md", "in the archive\n")
	if got := u.Do(apptest.OnPath(memorytool.View, "/memories")); !strings.HasSuffix(got, ":\n0B\t/memories") {
		t.Errorf("a link shows %q", got)
	}
	u.Fails(apptest.Create("/memories/a.txt", "x"), app.KindRefused, escapes)
	if err := os.Remove(u.Path(".agentflow/memory/notes")); err != nil {
		t.Fatal(err)
	}
	u.Do(apptest.Create("/memories/d/a.txt", "x\n"))
	link(t, outside, u.Path(".agentflow/memory/notes/out"))
	link(t, filepath.Join(outside, "b"), u.Path(".agentflow/memory/notes/b.txt.md"))
	u.Fails(apptest.Create("/memories/out/a.txt", "x"), app.KindRefused, escapes)
	u.Fails(apptest.Create("/memories/b.txt", "x"), app.KindRefused, escapes)
	u.Fails(apptest.Rename("/memories/d", "/memories/out"), app.KindRefused, escapes)
	u.Fails(apptest.Rename("/memories/d/a.txt", "/memories/b.txt"), app.KindRefused, escapes)
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 || u.Note("d/a.txt.md") != "x\n" {
		t.Errorf("outside there is %v (%v), and the note holds %q", left, err, u.Note("d/a.txt.md"))
	}
}
