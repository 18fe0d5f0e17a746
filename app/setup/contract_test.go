package setup_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/open"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/app/transfer"
	"agentflow/app/upkeep"
	"agentflow/internal/atomicfile"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/randomtest"
)

// worker does random operations on one open Memory while others do too. It changes only its facts,
// so its model knows their state in memory.
type worker struct {
	t      *testing.T
	m      *app.Memory
	rand   *rand.Rand
	name   string
	facts  map[string]string // by id: the remembered texts that memory must hold
	gone   map[string]string // by id: forgotten texts
	pinned map[string]bool
}

// fact returns a random id of from, or "" if there is none.
func (w *worker) fact(from map[string]string) string {
	if len(from) == 0 {
		return ""
	}
	ids := make([]string, 0, len(from))
	for id := range from {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids[w.rand.IntN(len(ids))]
}

func (w *worker) must(what string, err error) {
	if err != nil {
		w.t.Errorf("%s: %s: %v", w.name, what, err)
	}
}

// step does one random operation and compares the result with the model.
func (w *worker) step(ctx context.Context, n int) {
	id, lost := w.fact(w.facts), w.fact(w.gone)
	switch w.rand.IntN(14) {
	case 0, 1, 2:
		w.remember(ctx, fmt.Sprintf("%s keeps item %d in drawer %d", w.name, n, w.rand.IntN(1000)))
	case 3:
		if id != "" {
			w.forget(ctx, id)
		}
	case 4:
		if lost != "" {
			w.restore(ctx, lost)
		}
	case 5:
		if id != "" {
			w.pin(ctx, id)
		}
	case 6:
		if id != "" {
			w.edit(ctx, id, n)
		}
	case 7:
		w.list(ctx)
	case 8:
		if id != "" {
			w.search(ctx, id)
		}
	case 9:
		if id != "" {
			w.show(ctx, id)
		}
	default:
		w.look(ctx, id)
	}
}

func (w *worker) remember(ctx context.Context, text string) {
	done, err := fact.Remember(ctx, w.m, fact.RememberRequest{Change: fact.Change{Text: &text}})
	w.must("remember", err)
	if err == nil {
		w.facts[done.Fact.ID] = text
	}
	again, err := fact.Remember(ctx, w.m, fact.RememberRequest{Change: fact.Change{Text: &text}})
	w.must("remember again", err)
	if err == nil && (!again.Fact.Existing || again.Fact.ID != done.Fact.ID) {
		w.t.Errorf("%s: %q was remembered twice: %s and %s", w.name, text, done.Fact.ID, again.Fact.ID)
	}
}

func (w *worker) forget(ctx context.Context, id string) {
	plan, err := forget.PlanForget(ctx, w.m, forget.Request{IDs: []string{id}})
	w.must("planning to forget "+id, err)
	if err != nil {
		return
	}
	_, err = forget.ApplyForget(ctx, w.m, plan)
	w.must("forget "+id, err)
	w.gone[id] = w.facts[id]
	delete(w.facts, id)
}

func (w *worker) restore(ctx context.Context, id string) {
	done, err := forget.Restore(ctx, w.m, forget.RestoreRequest{IDs: []string{id}})
	w.must("restore "+id, err)
	if len(done.Restored) != 1 {
		w.t.Errorf("%s: restored %v for %s", w.name, done.Restored, id)
	}
	w.facts[id] = w.gone[id]
	delete(w.gone, id)
}

func (w *worker) pin(ctx context.Context, id string) {
	w.pinned[id] = !w.pinned[id]
	_, err := fact.Pin(ctx, w.m, fact.PinRequest{IDs: []string{id}, Pinned: w.pinned[id]})
	w.must("pin "+id, err)
}

func (w *worker) edit(ctx context.Context, id string, n int) {
	text := fmt.Sprintf("%s moved item %d to shelf %d", w.name, n, w.rand.IntN(1000))
	done, err := fact.Edit(ctx, w.m, fact.EditRequest{ID: id, Change: fact.Change{Text: &text}})
	w.must("edit "+id, err)
	if err == nil && !done.Changed {
		w.t.Errorf("%s: editing %s changed nothing", w.name, id)
	}
	w.facts[id] = text
}

// list checks that memory lists exactly the worker's facts.
func (w *worker) list(ctx context.Context) {
	res, err := list.List(ctx, w.m, list.Request{Words: []string{w.name}})
	w.must("list", err)
	have := map[string]string{}
	for _, f := range res.Facts {
		if _, twice := have[f.ID]; twice {
			w.t.Errorf("%s: %s is listed twice", w.name, f.ID)
		}
		have[f.ID] = f.Text
		if f.Pinned != w.pinned[f.ID] {
			w.t.Errorf("%s: %s is pinned: %v, want %v", w.name, f.ID, f.Pinned, w.pinned[f.ID])
		}
	}
	for id, text := range w.facts {
		if have[id] != text {
			w.t.Errorf("%s: %s is listed as %q, want %q", w.name, id, have[id], text)
		}
	}
	if len(have) != len(w.facts) {
		w.t.Errorf("%s: %d facts are listed, want %d", w.name, len(have), len(w.facts))
	}
}

// search checks that a fact is found at once.
func (w *worker) search(ctx context.Context, id string) {
	res, err := search.Search(ctx, w.m, search.SearchRequest{Text: w.facts[id], Limit: 50})
	w.must("search", err)
	for _, h := range res.Hits {
		if strings.Contains(h.Text, w.facts[id]) {
			return
		}
	}
	w.t.Errorf("%s: %q is not among %d hits; degraded: %q", w.name, w.facts[id], len(res.Hits), res.Degraded)
}

func (w *worker) show(ctx context.Context, id string) {
	res, err := list.Show(ctx, w.m, list.ShowRequest{Ref: id})
	w.must("show "+id, err)
	if err == nil && !strings.Contains(res.Markdown+fmt.Sprintf("%+v", res.Fact), w.facts[id]) {
		w.t.Errorf("%s: %s is shown as %q, want %q", w.name, id, res.Markdown, w.facts[id])
	}
}

// look does operations that must not fail during the operations of other workers.
func (w *worker) look(ctx context.Context, id string) {
	var err error
	switch w.rand.IntN(7) {
	case 0:
		_, err = recall.Recall(ctx, w.m, recall.Request{Task: w.name + " looks for its items"})
	case 1:
		_, err = list.Stats(ctx, w.m)
	case 2:
		_, err = list.Log(ctx, w.m, list.LogRequest{All: true, Limit: 5})
	case 3:
		_, err = setup.Status(ctx, w.m, setup.StatusRequest{})
	case 4:
		_, err = transfer.Export(ctx, w.m, transfer.ExportRequest{To: io.Discard})
	case 5:
		_, err = upkeep.Index(ctx, w.m, upkeep.IndexRequest{})
	case 6:
		if id != "" {
			_, err = fact.Similar(ctx, w.m, fact.SimilarRequest{Ref: id, Limit: 3})
		}
	}
	w.must("look", err)
}

// person rewrites a note and adds lines to the file of the day by replacing the files.
type person struct {
	t         *testing.T
	dir       string
	note, day []string // the lines that the person saved there
}

// work saves once for each value of again.
func (p *person) work(again <-chan struct{}) {
	n := 0
	for range again {
		n++
		p.note = append(p.note, fmt.Sprintf("- a person wrote line %d", n))
		p.must(atomicfile.WriteTo(apptest.Swap{}, filepath.Join(p.dir, "notes.md"), []byte("# Notes\n\n"+strings.Join(p.note, "\n")+"\n"), 0o600))
		p.addToDay(fmt.Sprintf("A person's line %d.", n))
	}
}

// addToDay adds a line to the newest file of a day, unless the file changed since it was read.
func (p *person) addToDay(line string) {
	days, err := filepath.Glob(filepath.Join(p.dir, "2*.md"))
	p.must(err)
	if len(days) == 0 {
		return
	}
	day := days[len(days)-1]
	before, err := os.ReadFile(day)
	p.must(err)
	saved, err := atomicfile.ReplaceIf(apptest.Swap{}, day, before, append(slices.Clip(before), "\n"+line+"\n"...))
	p.must(err)
	if saved {
		p.day = append(p.day, line)
	}
}

func (p *person) must(err error) {
	if err != nil {
		p.t.Error(err)
	}
}

// TestOneMemoryOfMany runs eight goroutines with two hundred random operations each on one open
// Memory while a person rewrites files. The result of each operation agrees with a model, and so
// does memory at the end.
func TestOneMemoryOfMany(t *testing.T) { randomtest.Check(t, 1, oneMemoryOfMany) }

func oneMemoryOfMany(t *testing.T, rnd *rand.Rand) {
	const workers, steps = 8, 25
	p := apptest.NewRepository(t)
	m, err := open.Open(t.Context(), p.Repo, app.Env{Vars: p.Env}, open.LockWait(5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	editor := &person{t: t, dir: filepath.Join(p.Repo, ".agentflow/memory")}
	again, over := make(chan struct{}, 1), make(chan struct{})
	go func() { editor.work(again); close(over) }()
	var all sync.WaitGroup
	crew := make([]*worker, workers)
	common := "everybody knows the way to the archive"
	for i := range crew {
		w := &worker{t: t, m: m, rand: rand.New(rand.NewPCG(rnd.Uint64(), 0)), name: fmt.Sprintf("worker%c", 'A'+i),
			facts: map[string]string{}, gone: map[string]string{}, pinned: map[string]bool{}}
		crew[i] = w
		all.Go(func() {
			_, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &common}})
			w.must("remember what all know", err)
			for n := range steps {
				w.step(t.Context(), n)
				select {
				case again <- struct{}{}:
				default:
				}
			}
		})
	}
	all.Wait()
	close(again)
	<-over
	for _, w := range crew {
		w.list(t.Context())
	}
	if res, err := list.List(t.Context(), m, list.Request{Words: []string{"archive"}}); err != nil || len(res.Facts) != 1 {
		t.Errorf("what all know is there %d times: %v", len(res.Facts), err)
	}
	text, err := os.ReadFile(filepath.Join(editor.dir, "notes.md"))
	if err != nil || !strings.HasSuffix(string(text), strings.Join(editor.note, "\n")+"\n") {
		t.Errorf("the person's note was changed: %v", err)
	}
	days, _ := filepath.Glob(filepath.Join(editor.dir, "2*.md"))
	for _, day := range days {
		text, err := os.ReadFile(day)
		if err != nil {
			t.Fatal(err)
		}
		editor.day = slices.DeleteFunc(editor.day, func(line string) bool { return strings.Contains(string(text), "\n"+line+"\n") })
	}
	if len(editor.day) > 0 {
		t.Errorf("lines of a person are gone: %q", editor.day)
	}
}
