package markdown

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
)

func TestRemove(t *testing.T) {
	run, note := memorytest.RunEntry(t), memory.Entry{ID: "n1", Kind: memory.KindNote, Facts: []memory.Fact{{ID: "f1", Text: "one\ntwo"}}}
	src := string(Format(run)) + "hand\n" + string(Format(note)) + "- mine <!-- id=f2 -->\n  more\n- next\n"
	d := Parse([]byte(src))
	if got := d.IDs(); !slices.Equal(got, []string{run.ID, run.Facts[0].ID, "n1", "f1", "f2"}) {
		t.Fatalf("ids %v", got)
	}
	for id, want := range map[string]string{
		run.ID:          string(Format(run)),
		run.Facts[0].ID: FormatFact(run.Facts[0]),
		"f1":            string(Format(note)),
		"f2":            "- mine <!-- id=f2 -->\n  more\n",
	} {
		rest, removed, ok := d.Remove(id)
		if !ok || string(removed) != want || string(rest) != strings.Replace(src, want, "", 1) {
			t.Errorf("%s: removed %q", id, removed)
		}
	}
	if rest, _, ok := d.Remove("none"); ok || string(rest) != src {
		t.Error("removed what is not there")
	}
}

// TestRemoveAllByOwnID: a fact that took in another one stays when that one is
// removed, and no longer says that it did.
func TestRemoveAllByOwnID(t *testing.T) {
	const first, both = "- One. <!-- id=0199-one -->\n", "- Two. <!-- id=0199-two merged=0199-one,0199-old -->\n"
	for name, test := range map[string]struct{ src, gone, want string }{
		"in two places": {first + both, "0199-one", "- Two. <!-- id=0199-two merged=0199-old -->\n"},
		"in another":    {both, "0199-one", "- Two. <!-- id=0199-two merged=0199-old -->\n"},
		"the other":     {first + both, "0199-two", first},
		"none":          {first + both, "0199-none", first + both},
	} {
		got, ok := Parse([]byte(test.src)).RemoveAll(func(id string) bool { return id == test.gone })
		if string(got) != test.want || ok != (test.want != test.src) {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
	if rest, _, _ := Parse([]byte(first + both)).Remove("0199-one"); string(rest) != both {
		t.Errorf("Remove leaves\n%s", rest)
	}
}

func TestReplaceKeepsTheRest(t *testing.T) {
	const file = "# Facts\n\n- Deploys happen on Tuesdays. <!-- id=f1 type=semantic mood=grim -->\n" +
		"  - Backups run at night. <!-- id=f2 -->\n    Every night.\n\nProse.\n- no fact\n"
	d := Parse([]byte(file))
	fact := memory.Fact{ID: "f1", Type: memory.Semantic, Struck: true, SupersededBy: "f9", Text: "Deploys happen\non Tuesdays."}
	text, ok := d.Replace("f1", fact)
	want := "# Facts\n\n- ~~Deploys happen <!-- id=f1 type=semantic by=f9 mood=grim -->\n  on Tuesdays.~~\n" +
		"  - Backups run at night. <!-- id=f2 -->\n    Every night.\n\nProse.\n- no fact\n"
	if !ok || string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	text, ok = d.Replace("f2", memory.Fact{ID: "f2", Text: "Backups run\nat noon.", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
	want = "# Facts\n\n- Deploys happen on Tuesdays. <!-- id=f1 type=semantic mood=grim -->\n" +
		"  - Backups run <!-- id=f2 expires=2027-01-01T00:00:00Z -->\n    at noon.\n\nProse.\n- no fact\n"
	if !ok || string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if text, ok := d.Replace("none", fact); ok || string(text) != file {
		t.Errorf("replacing what is not there: %v\n%s", ok, text)
	}
}

func TestFactByHand(t *testing.T) {
	d := Parse([]byte("- ~~Deploys on Tuesdays.~~ <!-- id=f1 expires=2026-12-31 merged=f2/run1/abc,f3 -->\n- ~~~~ <!-- id=f4 -->\n- half ~~struck~~ <!-- id=f5 -->\n"))
	f := d.Blocks[0].Facts
	if len(f) != 3 {
		t.Fatalf("%d facts", len(f))
	}
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	if !f[0].Struck || f[0].Text != "Deploys on Tuesdays." || !f[0].Expires.Equal(end) {
		t.Errorf("%+v", f[0].Fact)
	}
	if len(f[0].Merged) != 2 || f[0].Merged[0] != (memory.Origin{ID: "f2", Source: "run1", Commit: "abc"}) || !f[0].Has("f3") || f[0].Has("") {
		t.Errorf("%+v", f[0].Merged)
	}
	if f[1].Struck || f[2].Struck || f[2].Text != "half ~~struck~~" {
		t.Errorf("%+v %+v", f[1].Fact, f[2].Fact)
	}
	live := memory.Fact{Expires: end}
	if live.Live(end) || !live.Live(end.Add(-1)) || f[0].Live(end.AddDate(-1, 0, 0)) {
		t.Error("a fact lives until it expires, a struck one does not")
	}
}
