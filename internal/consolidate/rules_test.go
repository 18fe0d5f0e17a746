package consolidate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// kinds returns the actions of a plan in short form: kind and the end of the id.
func kinds(r Result) []string {
	var list []string
	for _, a := range r.Actions {
		list = append(list, fmt.Sprintf("%s %s", a.Kind, strings.TrimLeft(a.ID[max(0, len(a.ID)-3):], "0")))
	}
	return list
}

func with(f memory.Fact, change func(*memory.Fact)) memory.Fact {
	change(&f)
	return f
}

func TestWhatStandsTwice(t *testing.T) {
	double, other := note(1, daysAgo(1), said(2, "Said twice")), said(4, "One text")
	files := map[string][]byte{
		daily(1): []byte(double + note(3, daysAgo(1), other)), "copy.md": []byte("my copy\n\n" + double),
		"MEMORY.md": []byte("- Another text <!-- id=" + id(4) + " -->\n"),
	}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	if got := kinds(r); !slices.Equal(got, []string{"doubled 1", "left 4"}) {
		t.Errorf("%q", got)
	}
	if string(after["copy.md"]) != "my copy\n\n" {
		t.Errorf("the copy is %q", after["copy.md"])
	}
}

func TestSupersedes(t *testing.T) {
	files := map[string][]byte{daily(1): []byte(entry(10, daysAgo(1),
		said(1, "Deploys are on Monday"),
		with(said(2, "Deploys are on Tuesday"), func(f *memory.Fact) { f.Supersedes = id(1) }),
		with(said(3, "Pinned words"), func(f *memory.Fact) { f.Tags = []string{"pinned"} }),
		with(said(4, "Other words"), func(f *memory.Fact) { f.Supersedes = id(3) }),
		with(said(5, "Brought back by hand"), func(f *memory.Fact) { f.SupersededBy = id(6) }),
		with(said(6, "What replaced it"), func(f *memory.Fact) { f.Supersedes = id(5) }),
		with(said(7, "In a circle"), func(f *memory.Fact) { f.Supersedes = id(8) }),
		with(said(8, "Round and round"), func(f *memory.Fact) { f.Supersedes = id(7) }),
	))}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	if got := kinds(r); !slices.Equal(got, []string{"struck 7", "struck 1"}) {
		t.Errorf("%q", got)
	}
	if f := all(after)[id(1)]; f.SupersededBy != id(2) {
		t.Errorf("%+v", f)
	}
	if len(r.Possible) < 2 || !strings.Contains(fmt.Sprint(r.Possible), "is pinned") || !strings.Contains(fmt.Sprint(r.Possible), "took the strike off") {
		t.Errorf("%+v", r.Possible)
	}
}

// A value that comes back is the newest again.
func TestValueThatComesBack(t *testing.T) {
	key := func(f *memory.Fact) { f.Key = "port" }
	files := map[string][]byte{}
	for i, text := range []string{"Port 5432", "Port 6543", "port 5432."} {
		files[daily(3-i)] = []byte(entry(10+i, daysAgo(3-i), with(said(1+i, text), key)))
	}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
	facts := all(after)
	if f := facts[id(1)]; f.Struck || !f.Has(id(3)) || !facts[id(2)].Struck || facts[id(2)].SupersededBy != id(1) {
		t.Errorf("%+v", facts)
	}
}

func TestFadedAndGone(t *testing.T) {
	weighs := func(importance float64, age int) func(*memory.Fact) {
		return func(f *memory.Fact) { f.Importance, f.Created = importance, daysAgo(age) }
	}
	var text bytes.Buffer
	text.WriteString("# Memory\n\n")
	for _, f := range []memory.Fact{
		with(said(1, "Old and important"), weighs(0.8, 350)), with(said(2, "Older than that"), weighs(0.8, 370)),
		with(said(3, "Less important"), weighs(0.4, 200)), with(said(4, "Nobody knows when"), func(*memory.Fact) {}),
		with(said(5, "Expired"), func(f *memory.Fact) { f.Expires = daysAgo(1) }), with(said(6, "Will expire"), func(f *memory.Fact) { f.Expires = daysAgo(-1) }),
		with(said(7, "Struck by hand"), func(f *memory.Fact) { f.Struck = true }), with(said(8, "Pinned long ago"), func(f *memory.Fact) { f.Created, f.Tags = daysAgo(4000), []string{"pinned"} }),
	} {
		text.WriteString(markdown.FormatFact(f))
	}
	after, r := planned(t, Input{Options: defaults, Files: map[string][]byte{"MEMORY.md": text.Bytes()}, Now: now})
	if got := kinds(r); !slices.Equal(got, []string{"lowered 2", "lowered 3", "lowered 5", "lowered 7"}) {
		t.Errorf("%q", got)
	}
	for _, n := range []int{2, 3, 5, 7} {
		if !bytes.Contains(after["archive/facts.md"], []byte(id(n))) {
			t.Errorf("%d is not in\n%s", n, after["archive/facts.md"])
		}
	}
}

func TestRoomInMemory(t *testing.T) {
	hand := "# Memory\n\n" + strings.Repeat("A line by hand.\n", 10) + "\n- Pinned <!-- id=" + id(1) + " importance=0.1 tags=pinned -->\n"
	files := map[string][]byte{"MEMORY.md": []byte(hand)}
	for i := range 40 {
		f := with(said(100+i, fmt.Sprintf("Fact number %d", i)), func(f *memory.Fact) { f.Importance = 0.8 + float64(i)/400 })
		if i%2 == 0 {
			files["MEMORY.md"] = append(files["MEMORY.md"], markdown.FormatFact(f)...)
		} else {
			files[daily(2)] = append(files[daily(2)], note(200+i, daysAgo(2), f)...)
		}
	}
	in := Input{Options: defaults, Files: files, Now: now}
	in.MaxLines = 30
	after, r := planned(t, in)
	text := after["MEMORY.md"]
	if size := sizeOf(text); size.lines > 30 || size.lines < 28 || !bytes.HasPrefix(text, []byte(hand)) {
		t.Errorf("MEMORY.md has %d lines:\n%s", size.lines, text)
	}
	if !bytes.Contains(text, []byte("Fact number 39 ")) || bytes.Contains(text, []byte("Fact number 0 ")) || !bytes.Contains(after["archive/facts.md"], []byte("Fact number 0 ")) {
		t.Errorf("not the most important ones stay:\n%s", text)
	}
	if got := kinds(r); !slices.Contains(got, "demoted 64") || !slices.Contains(got, "promoted 8b") {
		t.Errorf("%q", got)
	}

	in.MaxLines = 8 // what a person wrote is longer
	after, r = planned(t, in)
	if !bytes.Equal(after["MEMORY.md"], files["MEMORY.md"]) || len(r.Actions) != 1 || r.Actions[0].Kind != Left {
		t.Errorf("%+v", r.Actions)
	}
}

func TestRetention(t *testing.T) {
	files := map[string][]byte{daily(1): []byte(entry(50, daysAgo(1),
		with(said(1, "Old"), func(f *memory.Fact) { f.Created = daysAgo(400) }),
		with(said(2, "Old and pinned"), func(f *memory.Fact) { f.Created, f.Tags = daysAgo(400), []string{"pinned"} }),
		with(said(3, "Trifle"), func(f *memory.Fact) { f.Importance = 0.1 }),
		with(said(4, "Nobody weighed it"), func(f *memory.Fact) { f.Importance = 0 }),
		with(said(5, "Struck"), func(f *memory.Fact) { f.Struck, f.Importance = true, 0.7 }),
		with(said(6, "Elsewhere"), func(f *memory.Fact) { f.Namespace = "branch/x" }),
		with(said(7, "Worth it"), func(f *memory.Fact) { f.Importance, f.Merged = 0.7, []memory.Origin{{ID: id(70)}} }),
	))}
	for name, c := range map[string]struct {
		set    func(*Options)
		forget []string
	}{
		"age":        {func(o *Options) { o.MaxAge = 365 * 24 * time.Hour }, []string{id(1)}},
		"importance": {func(o *Options) { o.MinImportance = 0.3 }, []string{id(3)}},
		"number":     {func(o *Options) { o.MaxFacts = 3 }, []string{id(5), id(1), id(3)}},
		"all at once": {func(o *Options) { o.MaxAge, o.MinImportance, o.MaxFacts = 365*24*time.Hour, 0.3, 2 },
			[]string{id(1), id(3), id(5), id(4)}},
		"pinned ones stay": {func(o *Options) { o.MinImportance = 1 }, []string{id(1), id(3), id(4), id(5), id(7), id(70), id(6)}},
		"off":              {func(*Options) {}, nil},
	} {
		in := Input{Options: defaults, Files: files, Now: now}
		c.set(&in.Options)
		if _, r := planned(t, in); !slices.Equal(r.Forget, c.forget) {
			t.Errorf("%s: %q", name, r.Forget)
		}
	}
}

func TestSince(t *testing.T) {
	files := map[string][]byte{
		daily(1): []byte(entry(10, daysAgo(1), said(1, "Said lately"))),
		daily(5): []byte(entry(11, daysAgo(5), said(2, "Said lately!"), said(3, "Said before"))),
		daily(6): []byte(entry(12, daysAgo(6), said(4, "said before."), with(said(5, "Important"), func(f *memory.Fact) { f.Importance = 1 }))),
	}
	_, r := planned(t, Input{Options: defaults, Files: files, Now: now, Since: daysAgo(3)})
	if got := kinds(r); !slices.Equal(got, []string{"merged 1"}) {
		t.Errorf("%q", got)
	}
}

func TestForgottenIsLeftAlone(t *testing.T) {
	files := map[string][]byte{daily(1): []byte(entry(10, daysAgo(1), said(1, "Say it"), with(said(2, "Say it"), func(f *memory.Fact) { f.Importance = 1 })))}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now, Forgotten: func(s string) bool { return s == id(2) }})
	if len(r.Edits) > 0 || !bytes.Equal(after[daily(1)], files[daily(1)]) {
		t.Errorf("%+v", r.Actions)
	}
}

func TestFold(t *testing.T) {
	month := memory.MonthFile(daysAgo(40))
	day := func(n int) string { return "# " + daily(n)[:10] + "\n\n" }
	first, late, open := entry(1, daysAgo(40), said(2, "First")), entry(3, daysAgo(41), said(4, "Late")), entry(5, daysAgo(43), said(6, "Open"))
	late = strings.ReplaceAll(late, "\n", "\r\n")
	files := map[string][]byte{
		daily(40): []byte(day(40) + first + "By hand, no end"), daily(41): []byte(late), daily(42): []byte(day(42)),
		daily(43): []byte(day(43) + open + "```\nnever closed\n"), daily(29): []byte(day(29)), "2026-99-99.md": []byte("no day\n"),
		month: []byte("# 2020-01-01\n\nmine\n\n# 2099-01-01\n\nlater\n"),
	}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
	want := "# 2020-01-01\n\nmine\n\n" + day(43) + open + "```\nnever closed\n\n" + day(41) + late + day(40) + first + "By hand, no end\n\n# 2099-01-01\n\nlater\n"
	if got := string(after[month]); got != want {
		t.Errorf("%s is\n%s\nwant\n%s", month, got, want)
	}
	for _, name := range []string{daily(40), daily(41), daily(42), daily(43)} {
		if after[name] != nil {
			t.Errorf("%s stays", name)
		}
	}
	if after[daily(29)] == nil || after["2026-99-99.md"] == nil {
		t.Error("what is too young, or no day, is folded")
	}
}

func TestProposedMerge(t *testing.T) {
	files := map[string][]byte{daily(1): []byte(entry(10, daysAgo(1), said(1, "Use tabs"), said(2, "Indent with tabs"), said(3, "Else")))}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now, Merges: []Merge{{IDs: []string{id(1), id(2)}, Text: "Indent with tabs, always"}}})
	if f := all(after)[id(1)]; f.Text != "Indent with tabs, always" || !f.Has(id(2)) || !f.Updated.Equal(now) || len(all(after)) != 2 {
		t.Errorf("%+v", all(after))
	}
}

// Of facts that say the same, the right one stays. Of facts about different things, or in
// different namespaces, both stay.
func TestWhoStays(t *testing.T) {
	first := said(1, "Use tabs")
	for name, c := range map[string]struct {
		other memory.Fact
		stays []string
	}{
		"the first":         {said(2, "Use tabs."), []string{id(1)}},
		"a pinned one":      {with(said(2, "Use tabs."), func(f *memory.Fact) { f.Tags = []string{"pinned"} }), []string{id(2)}},
		"one by hand":       {with(said(2, "Use tabs."), func(f *memory.Fact) { f.Source = "hand" }), []string{id(2)}},
		"another key":       {with(said(2, "Use tabs."), func(f *memory.Fact) { f.Key = "yaml" }), []string{id(1), id(2)}},
		"another namespace": {with(said(2, "Use tabs."), func(f *memory.Fact) { f.Namespace = "branch/x" }), []string{id(1), id(2)}},
		"no longer true":    {with(said(2, "Use tabs."), func(f *memory.Fact) { f.Struck = true }), []string{id(1), id(2)}},
		"replaced elsewhere": {with(said(2, "Use spaces"), func(f *memory.Fact) { f.Namespace, f.Supersedes = "branch/x", id(1) }),
			[]string{id(1), id(2)}},
	} {
		one := first
		if name == "another key" {
			one.Key = "go"
		}
		files := map[string][]byte{daily(2): []byte(entry(10, daysAgo(2), one)), daily(1): []byte(entry(11, daysAgo(1), c.other))}
		after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
		var stays []string
		for id, f := range all(after) {
			stays = append(stays, id)
			if f.Struck && name != "no longer true" {
				t.Errorf("%s: %s is struck", name, id)
			}
		}
		if slices.Sort(stays); !slices.Equal(stays, c.stays) {
			t.Errorf("%s: %q stay", name, stays)
		}
	}
}

// TestPlaceOfAFactIsPartOfIt: a prohibition of a person is not merged with the same words in
// another place, and a fact that leaves a person's list keeps the headings above it.
func TestPlaceOfAFactIsPartOfIt(t *testing.T) {
	const sameID, otherID = "0199aaaa-0000-7000-8000-0000000000a1", "0199aaaa-0000-7000-8000-0000000000a2"
	in := Input{Now: now, Options: Options{PromoteImportance: 0.8}, Files: map[string][]byte{
		memory.LastingFile: []byte("# Memory\n\n## Never on production\n\n- `terraform apply` <!-- id=" + sameID + " importance=0.5 source=hand created=2026-01-01T00:00:00Z -->\n"),
		"2026-11-20.md": markdown.Format(memory.Entry{ID: "0199aaaa-0000-7000-8000-0000000000a3", Kind: memory.KindNote, Time: now,
			Facts: []memory.Fact{{ID: otherID, Text: "`terraform apply`", Source: memory.ByHand}}}),
	}}
	res := Plan(in)
	faded := ""
	for _, e := range res.Edits {
		if e.File == memory.FadedFile {
			faded = string(e.After)
		}
	}
	if !strings.Contains(faded, "- Never on production: `terraform apply` <") {
		t.Errorf("%+v\n%s", res.Actions, faded)
	}
	for _, a := range res.Actions {
		if a.Kind == Merged || a.Kind == Doubled {
			t.Errorf("%+v", a)
		}
	}
}
