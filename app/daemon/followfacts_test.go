package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// looking looks at the facts of a place, with a separate clock.
type looking struct {
	*apptest.Place
	t     *testing.T
	m     *app.Memory
	watch daemon.FactWatch
	now   time.Time
}

func newLooking(t *testing.T) *looking {
	p := apptest.NewRepository(t)
	l := &looking{Place: p, t: t, m: p.Memory(), now: time.Now()}
	apptest.Must(setup.Init(t.Context(), l.m))(t)
	l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n- Lions roar\n")
	l.Write(".agentflow/memory/2026-11-20.md", "# 2026-11-20\n\n"+string(markdown.Format(apptest.Note)))
	l.sees("", 0)
	return l
}

const lastingFile = ".agentflow/memory/MEMORY.md"

// sees looks again after a while, and checks the reported events.
func (l *looking) sees(what string, after time.Duration, want ...string) {
	l.t.Helper()
	l.now = l.now.Add(after)
	events, err := l.watch.Look(l.t.Context(), l.m, l.now)
	if err != nil {
		l.t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		text := fmt.Sprint(e.Kind)
		switch {
		case e.Fact != nil:
			text += ": " + e.Fact.Text
		case e.Count > 0:
			text += fmt.Sprint(": ", e.Count)
		default:
			text += " " + memory.ShortID(e.ID)
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		l.t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

// move renames a file or folder of the place.
func (l *looking) move(from, to string) {
	l.t.Helper()
	if err := os.Rename(l.Path(from), l.Path(to)); err != nil {
		l.t.Fatal(err)
	}
}

// TestWhatBecomesOfFacts goes through the changes that people and programs make to files.
func TestWhatBecomesOfFacts(t *testing.T) {
	day := ".agentflow/memory/2026-11-20.md"
	dries := apptest.Note.Facts[0]
	changed := func(l *looking, change func(*memory.Fact)) {
		n := apptest.Note
		n.Facts = slices.Clone(apptest.Note.Facts)
		change(&n.Facts[0])
		l.Write(day, "# 2026-11-20\n\n"+string(markdown.Format(n)))
	}
	for name, do := range map[string]func(*looking){
		"an editor saves by renaming": func(l *looking) {
			l.Write(lastingFile+"~", "# Memory\n\n- Okapis are shy\n- Lions roar\n- Apes climb\n")
			l.move(lastingFile+"~", lastingFile)
			l.sees("saved", 0, "memoryStored: Apes climb")
		},
		"an editor moves the old file away first": func(l *looking) {
			l.move(lastingFile, lastingFile+"~")
			l.sees("away", 0)
			l.sees("still away", 999*time.Millisecond)
			l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n- Lions roar\n")
			l.sees("saved", 0)
			l.sees("later", time.Hour)
		},
		"a file is removed": func(l *looking) {
			l.Remove(lastingFile)
			l.sees("at once", 0)
			l.sees("when it may not come back", time.Second, "memoryForgotten ", "memoryForgotten ")
			l.sees("later", time.Hour)
			l.Write(lastingFile, "# Memory\n\n- Lions roar\n")
			l.sees("come back", 0, "memoryStored: Lions roar")
		},
		"an editor leaves other files": func(l *looking) {
			l.Write(lastingFile+".bak", "- Bears hum\n")
			l.Write(".agentflow/memory/.MEMORY.md.swp", "- Bears hum\n")
			l.sees("left", 0)
		},
		"nothing but blank lines change": func(l *looking) {
			l.Write(lastingFile, "# Memory\n\n\n\n- Okapis are shy\n\n- Lions roar\n\n")
			l.sees("saved", 0)
			l.sees("later", time.Hour)
		},
		"facts without ids are edited": func(l *looking) {
			l.Write(lastingFile, "# Memory\n\n- Okapis are very shy\n- Lions roar loudly\n")
			l.sees("saved", 0, "memoryChanged: Okapis are very shy", "memoryChanged: Lions roar loudly")
			l.sees("later", time.Hour)
		},
		"a fact that a person wrote gets an id": func(l *looking) {
			l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n"+markdown.FormatFact(memory.Fact{ID: apptest.Paint.ID, Type: memory.Semantic, Text: "Lions roar"})+"\n")
			l.sees("saved", 0, "memoryChanged: Lions roar")
			l.sees("later", time.Hour)
		},
		"a person takes a fact's id away": func(l *looking) {
			l.Write(day, "# 2026-11-20\n")
			l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n- Lions roar\n- "+dries.Text+"\n")
			l.sees("saved", 0, "memoryChanged: "+dries.Text)
			l.sees("later", time.Hour)
		},
		"a fact is forgotten and said again": func(l *looking) {
			changed(l, func(f *memory.Fact) { f.ID = apptest.Paint.ID })
			l.sees("saved", 0, "memoryStored: "+dries.Text)
			l.sees("later", time.Hour, "memoryForgotten "+memory.ShortID(dries.ID))
		},
		"a fact with an id is edited": func(l *looking) {
			changed(l, func(f *memory.Fact) { f.Text = "Paint dries very slowly." })
			l.sees("edited", 0, "memoryChanged: Paint dries very slowly.")
			changed(l, func(f *memory.Fact) { f.Text, f.Tags = "Paint dries very slowly.", []string{memory.PinnedTag} })
			l.sees("pinned", 0, "memoryChanged: Paint dries very slowly.")
			l.sees("later", time.Hour)
		},
		"a fact moves to another file": func(l *looking) {
			l.Write(day, "# 2026-11-20\n")
			l.sees("taken out", 0)
			l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n- Lions roar\n"+markdown.FormatFact(dries)+"\n")
			l.sees("put in", time.Second/2)
			l.sees("later", time.Hour)
		},
		"a fact is merged into another": func(l *looking) {
			taker := memory.Fact{ID: apptest.Paint.ID, Type: memory.Semantic, Text: "Paint needs a day.", Merged: []memory.Origin{{ID: dries.ID}}}
			n := apptest.Note
			n.Facts = []memory.Fact{taker}
			l.Write(day, "# 2026-11-20\n\n"+string(markdown.Format(n)))
			l.sees("merged", 0, "memoryStored: Paint needs a day.")
			l.sees("later", time.Hour)
		},
		"a file is copied": func(l *looking) {
			l.Write(".agentflow/memory/2026-11-19.md", l.Read(day))
			l.sees("copied", 0)
			l.Write(".agentflow/memory/2026-11-19.md", strings.Replace(l.Read(day), "slowly", "very slowly", 1))
			l.sees("edited", 0)
			l.sees("later", time.Hour)
			l.Remove(".agentflow/memory/2026-11-19.md")
			l.sees("removed", time.Hour)
			l.sees("later", time.Hour)
		},
		"a new fact stands in two files": func(l *looking) {
			n := apptest.Note
			n.Facts = append(slices.Clone(apptest.Note.Facts), memory.Fact{ID: apptest.Paint.ID, Type: memory.Semantic, Text: "Paint needs a day."})
			for _, file := range []string{day, ".agentflow/memory/2026-11-19.md"} {
				l.Write(file, "# 2026-11-20\n\n"+string(markdown.Format(n)))
			}
			l.sees("written", 0, "memoryStored: Paint needs a day.")
			l.sees("later", time.Hour)
		},
		"the repository is away for a while": func(l *looking) {
			both := func(from, to string) { l.move(from+".git", to+".git"); l.move(from+".agentflow", to+".agentflow") }
			both("", "../home/")
			l.sees("away", 0)
			l.sees("for long", time.Hour)
			both("../home/", "")
			l.sees("back", 0)
			l.sees("later", time.Hour)
		},
		"the memory folder is away for a while": func(l *looking) {
			l.move(".agentflow/memory", ".agentflow/elsewhere")
			l.sees("away", 0)
			l.sees("for long", time.Hour)
			l.move(".agentflow/elsewhere", ".agentflow/memory")
			l.sees("back", 0)
			l.Remove(day)
			l.sees("with less in it", 0)
			l.sees("later", time.Hour, "memoryForgotten "+memory.ShortID(dries.ID))
		},
		"all of .agentflow is away for a while": func(l *looking) {
			l.move(".agentflow", "elsewhere")
			l.sees("away", 0)
			l.sees("for long", time.Hour)
			l.move("elsewhere", ".agentflow")
			l.Write(lastingFile, "# Memory\n\n- Okapis are shy\n- Lions roar\n- Apes climb\n")
			l.sees("back with more", 0, "memoryStored: Apes climb")
			l.sees("later", time.Hour)
		},
		"a folder takes the place of a file": func(l *looking) {
			l.Remove(day)
			l.Write(day+"/x.md", "- Bears hum\n")
			l.sees("at once", 0)
			l.sees("later", time.Hour, "memoryForgotten "+memory.ShortID(dries.ID))
		},
	} {
		t.Run(name, func(t *testing.T) { do(newLooking(t)) })
	}
}

// TestFollowFromBeforeThereIsMemory checks that the first fact of a repository is reported.
func TestFollowFromBeforeThereIsMemory(t *testing.T) {
	p := apptest.NewRepository(t)
	f := follow(t, p.Memory())
	apptest.Remembered(t, p.Memory(), "Okapis are shy")
	if e := f.await(api.MemoryStored); e.Fact.Text != "Okapis are shy" {
		t.Errorf("%+v", e.Fact)
	}
}

// TestFollowTenThousandFacts checks that many facts at once are one event, and that a single change among many facts is
// reported as a single event.
func TestFollowTenThousandFacts(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	f := follow(t, m)
	p.ManyFacts(10_000)
	if e := f.await(api.MemoryStored); e.Count != 10_000 || e.Fact != nil {
		t.Errorf("%+v", e)
	}
	p.Write(lastingFile, "# Memory\n\n- Lions roar.\n")
	if e := f.await(api.MemoryStored); e.Fact == nil || e.Fact.Text != "Lions roar." {
		t.Errorf("%+v", e)
	}
	p.ManyFacts(10_000 - daemon.MostAlone)
	for range daemon.MostAlone {
		if e := f.await(api.MemoryForgotten); e.ID == "" || e.Count != 0 {
			t.Fatalf("%+v", e)
		}
	}
	p.Remove(filepath.Join(p.Repo, ".agentflow/memory/2026-11-20.md"))
	if e := f.await(api.MemoryForgotten); e.Count != 10_000-daemon.MostAlone {
		t.Errorf("%+v", e)
	}
}
