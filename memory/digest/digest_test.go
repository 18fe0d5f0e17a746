package digest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

const commit = "1234567890123456789012345678901234567890"

// file has text by hand, a run and a note.
func file() []byte {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.FixedZone("", 3600))
	id := func(end string) string { return "0193a000-0000-7000-8000-00000000" + end }
	run := markdown.Format(memory.Entry{ID: id("0001"), Kind: memory.KindRun, Time: at, Agent: "claude", Session: "s-1", Task: "Fix the login",
		Commits: []changeset.Commit{{ID: commit, Subject: "fix it"}}, Result: &memory.Result{Success: true, CostUSD: 0.25},
		Facts: []memory.Fact{{ID: id("bbbb"), Text: "The clock is fake.", Expires: at.AddDate(1, 0, 0)}, {ID: id("cccc"), Text: "It was real.", Struck: true}}})
	note := markdown.Format(memory.Entry{ID: id("0002"), Kind: memory.KindNote, Time: at.Add(time.Hour),
		Facts: []memory.Fact{{ID: id("dddd"), Text: "Deploy on Tuesdays.", Key: "deploy.day"}}})
	return slices.Concat([]byte("# 2026-11-20\n\n- A convention. <!-- id="+id("aaaa")+" -->\n\n"), run, note)
}

func TestOf(t *testing.T) {
	d := Of("2026-11-20.md", markdown.Parse(file()))
	entries := d.Entries()
	if d.Blocks != 3 || len(entries) != 2 || entries[0].Kind != memory.KindNote || !entries[1].Success || entries[1].CostUSD != 0.25 {
		t.Errorf("entries are %+v in %d blocks", entries, d.Blocks)
	}
	if len(d.Kinds) != 2 || d.Kinds[memory.KindRun] != 1 || d.Kinds[memory.KindNote] != 1 {
		t.Errorf("kinds are %v", d.Kinds)
	}
	var told []string
	for _, f := range d.Facts {
		entry := "by hand"
		if f.Entry != nil {
			entry = f.Entry.ID[len(f.Entry.ID)-1:]
		}
		lines := strings.Split(string(file()), "\n")
		if !strings.Contains(lines[f.StartLine-1], f.Text) {
			t.Errorf("%q does not stand in line %d", f.Text, f.StartLine)
		}
		told = append(told, fmt.Sprintf("%s in %s, struck %v", f.ID[len(f.ID)-4:], entry, f.Struck))
	}
	want := "dddd in 2, struck false|bbbb in 1, struck false|cccc in 1, struck true|aaaa in by hand, struck false"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("facts are\n%s, want\n%s", got, want)
	}
	if n := len(Of(memory.FeedbackFile, markdown.Parse(file())).Facts); n != 0 {
		t.Errorf("the feedback file has %d facts", n)
	}
}

func TestNames(t *testing.T) {
	doc := markdown.Parse(file())
	have := map[Name]bool{}
	for _, n := range Names(doc) {
		have[n] = true
	}
	clock := doc.Facts()[1].Fact
	for what, n := range map[string]Name{
		"id of an entry": ByID("0193a000-0000-7000-8000-000000000001"), "end of it": ByID("0002"), "id of a fact": ByID("cccc"),
		"commit": ByCommit(commit), "beginning of it": ByCommit("12345"), "session": BySession("s-1"),
		"key": ByKey("deploy.day"), "gist": ByGist(clock.Gist()),
	} {
		if !have[n] {
			t.Errorf("the %s leads nowhere", what)
		}
	}
	for what, n := range map[string]Name{"id": ByID("eeee"), "commit": ByCommit("2345"), "session": BySession("s-2"), "key": ByKey("deploy"), "gist": ByGist("x")} {
		if have[n] {
			t.Errorf("an unknown %s leads to the file", what)
		}
	}
	for n := range have {
		if n < 0 || n >= 1<<51 {
			t.Errorf("the name %d is out of its range", n)
		}
	}
}

// TestCodecKeepsEveryField fills in each field there is, also those that somebody adds.
func TestCodecKeepsEveryField(t *testing.T) {
	want := Digest{Kinds: map[memory.Kind]int{"a": 1, "b": 2}, Facts: make([]Fact, 2)}
	entries := make([]Entry, 2)
	want.Facts[0].Entry = &memory.Entry{ID: "id", Kind: "kind", Time: time.Unix(5, 0).In(time.FixedZone("", -3600)), Pinned: true}
	seed := 0
	for i := range want.Facts {
		fill(reflect.ValueOf(&want.Facts[i].Fact).Elem(), &seed)
		want.Facts[i].StartLine, want.Facts[i].EndLine = 3+i, 4+i
		fill(reflect.ValueOf(&entries[i]).Elem(), &seed)
	}
	w := &writer{}
	list(w, &entries, func(e *Entry) { e.code(w) })
	want.entries = string(w.b)
	want.Facts[1].Expires, want.Facts[1].Tags, want.Facts[1].Struck, want.Facts[1].Importance = time.Time{}, nil, false, 0
	want.Blocks = 7
	got, err := Decode(want.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b || asJSON(t, got.Entries()) != asJSON(t, entries) {
		t.Errorf("decoded\n%s\nwant\n%s", a, b)
	}
	if text := got.Append(nil); string(text) != string(want.Append(nil)) {
		t.Error("what was decoded is coded otherwise")
	}
	for n := range want.Append(nil) {
		if _, err := Decode(want.Append(nil)[:n]); err == nil {
			t.Errorf("the first %d bytes alone are read", n)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func fill(v reflect.Value, seed *int) {
	*seed++
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(int64(*seed)*1e6, 0).UTC()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), seed)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), seed)
		fill(v.Index(1), seed)
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprint("text ", *seed))
	case v.Kind() == reflect.Float64:
		v.SetFloat(1 / float64(*seed))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	default:
		panic("a kind of field that no digest has: " + v.Kind().String())
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Of("2026-11-20.md", markdown.Parse(file())).Append(nil))
	f.Add([]byte{0, 0xff, 0xff, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Decode(b)
		if err != nil {
			return
		}
		d.Entries() // must not panic
		again, err := Decode(d.Append(nil))
		if err != nil || string(again.Append(nil)) != string(d.Append(nil)) {
			t.Errorf("what is read cannot be written and read: %v", err)
		}
	})
}
