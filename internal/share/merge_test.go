package share

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// writer is one of two machines that write a folder, and shared the folder.
type writer struct {
	files  map[string][]byte
	base   map[string][]byte // the folder as the writer knows it
	known  []string          // what it listed as forgotten
	gone   map[string]bool   // forgotten here
	pushes int
}

type shared struct {
	files  map[string][]byte
	forgot map[string]bool
}

func (w *writer) sync(s *shared) {
	if !maps.EqualFunc(w.base, s.files, bytes.Equal) || len(w.known) != len(s.forgot) {
		m := Merge{Base: w.base, Theirs: s.files, Gone: func(id string) bool { return w.gone[id] && !slices.Contains(w.known, id) }}
		for id := range s.forgot {
			if !slices.Contains(w.known, id) {
				m.Forgot = append(m.Forgot, id)
				w.gone[id] = true
			}
		}
		w.files = m.Of(w.files)
	}
	files, changed := map[string][]byte{}, false
	for name, text := range w.files {
		if text = Project(name, text, All, Repositorys, V1); SaysSame(s.files[name], text) {
			text = s.files[name]
		}
		if len(text) > 0 {
			files[name] = text
			changed = changed || !bytes.Equal(text, s.files[name])
		}
	}
	for id := range idsOf(s.files) {
		s.forgot[id] = true
	}
	for id := range idsOf(files) {
		delete(s.forgot, id)
	}
	if changed || len(files) != len(s.files) {
		w.pushes++
	}
	s.files, w.base, w.known = files, files, slices.Collect(maps.Keys(s.forgot))
}

// TestMerge: two machines that write one folder add, edit, move and forget, and sync in any
// order. In the end both have all that neither forgot, once, and nothing is left to push.
func TestMerge(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		day := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
		s := &shared{map[string][]byte{}, map[string]bool{}}
		writers := []*writer{{files: map[string][]byte{}, gone: map[string]bool{}}, {files: map[string][]byte{}, gone: map[string]bool{}}}
		want, lines := map[string]bool{}, map[string]bool{}
		next := 0
		id := func() string { next++; return fmt.Sprintf("0199aaaa-0000-7000-8000-%012x", next) }
		bullet := func(f memory.Fact) []byte { return []byte(strings.TrimRight(markdown.FormatFact(f), "\n") + "\n") }
		act := func(w *writer) {
			file := []string{"MEMORY.md", "2026-11-02.md"}[r.IntN(2)]
			ids := slices.Sorted(maps.Keys(idsOf(w.files)))
			var some string
			if len(ids) > 0 {
				some = ids[r.IntN(len(ids))]
			}
			switch r.IntN(8) {
			case 0, 1:
				e := memory.Entry{ID: id(), Kind: memory.KindNote, Time: day, Title: fmt.Sprint("Entry ", next), Task: fmt.Sprint("Task ", next)}
				w.files["2026-11-02.md"] = append(w.files["2026-11-02.md"], markdown.Format(e)...)
				want[e.ID] = true
			case 2, 3:
				f := memory.Fact{ID: id(), Type: memory.Semantic, Text: fmt.Sprint("Fact ", next, ".")}
				w.files[file] = insert(w.files[file], bullet(f), false)
				want[f.ID] = true
			case 4:
				next++
				line := fmt.Sprintf("A line by hand %d.", next)
				w.files[file], lines[line] = insert(w.files[file], []byte(line+"\n"), false), true
			case 5: // a fact that only this machine has
				f := memory.Fact{ID: id(), Type: memory.Semantic, Namespace: "branch/x", Text: "Mine."}
				w.files[file] = insert(w.files[file], bullet(f), false)
			case 6: // edit or move a fact
				for name, text := range w.files {
					for _, f := range markdown.Parse(text).Facts() {
						if f.ID != some || len(unitsOf(text).find(some)) == 0 || f.Namespace != "" {
							continue
						}
						w.files[name] = bytes.Replace(text, f.Raw, nil, 1)
						next++
						f.Text += fmt.Sprint(" Edited ", next, ".")
						w.files[file] = insert(w.files[file], bullet(f.Fact), false)
						return
					}
				}
			case 7:
				if r.IntN(3) > 0 || some == "" {
					return
				}
				for name, text := range w.files {
					w.files[name], _ = markdown.Parse(text).RemoveAll(func(i string) bool { return i == some })
				}
				delete(want, some)
				w.gone[some] = true
			}
		}
		for range 30 {
			if w := writers[r.IntN(2)]; r.IntN(4) == 0 {
				w.sync(s)
			} else {
				act(w)
			}
		}
		for range 2 {
			writers[0].sync(s)
			writers[1].sync(s)
		}
		for _, w := range writers {
			w.pushes = 0
			w.sync(s)
		}
		for i, w := range writers {
			var units []unit
			for _, text := range w.files {
				units = append(units, unitsOf(text)...)
			}
			has := idsOf(w.files)
			for id := range want {
				if !has[id] {
					t.Errorf("%d: machine %d lost %s", seed, i, id)
				}
			}
			seen := map[string]bool{}
			for _, u := range units {
				if seen[u.id] {
					t.Errorf("%d: machine %d has %s twice", seed, i, u.id)
				}
				seen[u.id] = true
			}
			text := string(bytes.Join(slices.Collect(maps.Values(w.files)), nil))
			for line := range lines {
				if !strings.Contains(text, line) {
					t.Errorf("%d: machine %d lost %q", seed, i, line)
				}
			}
			if w.pushes > 0 {
				t.Errorf("%d: machine %d pushes with nothing new", seed, i)
			}
		}
		for name, text := range s.files {
			for i, w := range writers {
				if here := Project(name, w.files[name], All, Repositorys, V1); !SaysSame(here, text) {
					t.Errorf("%d: machine %d has in %s\n%s\nand the folder\n%s", seed, i, name, here, text)
				}
			}
		}
		for id := range idsOf(s.files) {
			if !want[id] {
				t.Errorf("%d: %s came back", seed, id)
			}
		}
		if t.Failed() {
			return
		}
	}
}
