package memory

import (
	"testing"
	"time"
)

func TestReplaceKeepsTheRest(t *testing.T) {
	const file = "# Facts\n\n- Deploys happen on Tuesdays. <!-- id=f1 type=semantic mood=grim -->\n" +
		"  - Backups run at night. <!-- id=f2 -->\n    Every night.\n\nProse.\n- no fact\n"
	d := Parse([]byte(file))
	fact := Fact{ID: "f1", Type: Semantic, Struck: true, SupersededBy: "f9", Text: "Deploys happen\non Tuesdays."}
	text, ok := d.Replace("f1", fact)
	want := "# Facts\n\n- ~~Deploys happen <!-- id=f1 type=semantic by=f9 mood=grim -->\n  on Tuesdays.~~\n" +
		"  - Backups run at night. <!-- id=f2 -->\n    Every night.\n\nProse.\n- no fact\n"
	if !ok || string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	text, ok = d.Replace("f2", Fact{ID: "f2", Text: "Backups run\nat noon.", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
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
	if len(f[0].Merged) != 2 || f[0].Merged[0] != (Origin{ID: "f2", Source: "run1", Commit: "abc"}) || !f[0].Has("f3") || f[0].Has("") {
		t.Errorf("%+v", f[0].Merged)
	}
	if f[1].Struck || f[2].Struck || f[2].Text != "half ~~struck~~" {
		t.Errorf("%+v %+v", f[1].Fact, f[2].Fact)
	}
	live := Fact{Expires: end}
	if live.Live(end) || !live.Live(end.Add(-1)) || f[0].Live(end.AddDate(-1, 0, 0)) {
		t.Error("a fact lives until it expires, a struck one does not")
	}
}
