package agent_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/internal/atomicfile"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/randomtest"
)

// toolWorker does random commands on private files, which its model knows, and adds lines to a file that all workers
// and a person write to.
type toolWorker struct {
	*apptest.ToolUser
	t      *testing.T
	rand   *rand.Rand
	name   string
	files  map[string][]string // lines by path
	shared []string            // lines that it added to the shared file
}

const sharedNote = "/memories/shared.txt"

func (w *toolWorker) step(n int) {
	path, lines := w.any()
	fresh := fmt.Sprintf("%s line %d", w.name, n)
	top := 0
	switch kind := w.rand.IntN(6); {
	case path == "" || kind == 0:
		path = fmt.Sprintf("/memories/%s/d%d/f%d.txt", w.name, w.rand.IntN(3), n)
		w.run(apptest.Create(path, fresh+"\n"))
		w.files[path] = []string{fresh}
	case kind == 1:
		at := w.rand.IntN(len(lines) + 1)
		w.run(memorytool.Command{Command: memorytool.Insert, Path: path, InsertLine: &at, InsertText: &fresh})
		w.files[path] = slices.Insert(lines, at, fresh)
	case kind == 2:
		at := w.rand.IntN(len(lines))
		w.run(apptest.Replace(path, lines[at]+"\n", fresh+"\n"))
		lines[at] = fresh
	case kind == 3 && len(w.files) > 2:
		w.run(apptest.OnPath(memorytool.Delete, path))
		delete(w.files, path)
	case kind == 4:
		to := fmt.Sprintf("/memories/%s/moved%d.md", w.name, n)
		w.run(apptest.Rename(path, to))
		w.files[to] = lines
		delete(w.files, path)
	default:
		w.run(memorytool.Command{Command: memorytool.Insert, Path: sharedNote, InsertLine: &top, InsertText: &fresh})
		w.shared = append(w.shared, fresh)
	}
}

// any returns one of its files.
func (w *toolWorker) any() (string, []string) {
	paths := make([]string, 0, len(w.files))
	for path := range w.files {
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return "", nil
	}
	slices.Sort(paths)
	path := paths[w.rand.IntN(len(paths))]
	return path, w.files[path]
}

func (w *toolWorker) run(c memorytool.Command) {
	if _, err := w.Agent.MemoryTool(w.t.Context(), c); err != nil {
		w.t.Errorf("%s: %s: %v", w.name, c, err)
	}
}

// check compares the files with the model.
func (w *toolWorker) check() {
	for path, lines := range w.files {
		text, err := w.Agent.MemoryTool(w.t.Context(), apptest.OnPath(memorytool.View, path))
		want := "Here's the content of " + path + " with line numbers:"
		for i, line := range lines {
			want += fmt.Sprintf("\n%6d\t%s", i+1, line)
		}
		if err != nil || text != want {
			w.t.Errorf("%s: %v\n%s\nis not\n%s", path, err, text, want)
		}
	}
	text, err := w.Agent.MemoryTool(w.t.Context(), apptest.OnPath(memorytool.View, "/memories/"+w.name))
	if shown := strings.Count(text, ".txt") + strings.Count(text, ".md"); err != nil && len(w.files) > 0 || shown != len(w.files) {
		w.t.Errorf("%s has %d files, and there is %s (%v)", w.name, len(w.files), text, err)
	}
}

// TestMemoryToolOfMany has eight agents write concurrently, while a person saves a separate file and one that all of
// them change. No lines are lost, and no line occurs twice.
func TestMemoryToolOfMany(t *testing.T) { randomtest.Check(t, 1, memoryToolOfMany) }

func memoryToolOfMany(t *testing.T, rnd *rand.Rand) {
	const workers, steps = 8, 16
	u := apptest.NewToolUser(t)
	m, err := open.Open(t.Context(), u.Repo, app.Env{Vars: u.Env}, open.LockWait(5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	u.Do(apptest.Create(sharedNote, "the end\n"))
	dir := u.Path(".agentflow/memory/notes")
	again, over := make(chan struct{}, 1), make(chan []string)
	go func() { over <- personAtNotes(t, dir, again) }()
	var all sync.WaitGroup
	crew := make([]*toolWorker, workers)
	for i := range crew {
		name := fmt.Sprintf("worker%c", 'A'+i)
		w := &toolWorker{ToolUser: &apptest.ToolUser{Place: u.Place, M: m, Agent: agent.NewAgentSession(m, fact.Agent{Name: name})}, t: t, rand: rand.New(rand.NewPCG(rnd.Uint64(), 0)), name: name, files: map[string][]string{}}
		crew[i] = w
		all.Go(func() {
			for n := range steps {
				w.step(n)
				select {
				case again <- struct{}{}:
				default:
				}
			}
		})
	}
	all.Wait()
	close(again)
	want := <-over
	for _, w := range crew {
		w.check()
		want = append(want, w.shared...)
	}
	got := strings.Split(strings.TrimSpace(u.Note("shared.txt.md")), "\n")
	want = append(want, "the end")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the shared file holds\n%q\nnot\n%q", got, want)
	}
}

// personAtNotes plays a person who saves a separate file and adds lines to the shared one, once per request. It returns
// the lines that the person saved in the shared file.
func personAtNotes(t *testing.T, dir string, again <-chan struct{}) (saved []string) {
	own, shared := filepath.Join(dir, "person.md"), filepath.Join(dir, "shared.txt.md")
	n := 0
	for range again {
		n++
		if err := atomicfile.WriteTo(apptest.Swap{}, own, fmt.Appendf(nil, "a person's text %d\n", n), 0o600); err != nil {
			t.Error(err)
		}
		before, err := os.ReadFile(shared)
		if err != nil {
			t.Error(err)
			continue
		}
		line := fmt.Sprintf("a person's line %d", n)
		if made, err := atomicfile.ReplaceIf(apptest.Swap{}, shared, before, append(slices.Clip(before), line+"\n"...)); err != nil {
			t.Error(err)
		} else if made {
			saved = append(saved, line)
		}
	}
	if text, err := os.ReadFile(own); err != nil || n > 0 && string(text) != fmt.Sprintf("a person's text %d\n", n) {
		t.Errorf("the person's own file holds %q, %v", text, err)
	}
	return saved
}

// TestMemoryToolAcknowledgesOnce checks that, of eight agents that make the same file or the same replacement at once,
// only one gets a success.
func TestMemoryToolAcknowledgesOnce(t *testing.T) {
	u := apptest.NewToolUser(t)
	m, err := open.Open(t.Context(), u.Repo, app.Env{Vars: u.Env}, open.LockWait(5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, command := range []func(name string) memorytool.Command{
		func(name string) memorytool.Command {
			return apptest.Create("/memories/a.txt", "turn: nobody's\nby "+name+"\n")
		},
		func(name string) memorytool.Command { return apptest.Replace("/memories/a.txt", "nobody's", name+"'s") },
		func(name string) memorytool.Command {
			return apptest.Rename("/memories/a.txt", "/memories/"+name+".txt")
		},
	} {
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				name := fmt.Sprintf("agent%d", i)
				_, errs[i] = agent.NewAgentSession(m, fact.Agent{Name: name}).MemoryTool(t.Context(), command(name))
			})
		}
		all.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else if kind := app.AsError(err).Kind; kind != app.KindRefused && kind != app.KindNotFound {
				t.Error(err)
			}
		}
		if done != 1 {
			t.Errorf("%d agents were told that %s succeeded: %v", done, command("they").Command, errs)
		}
	}
}
