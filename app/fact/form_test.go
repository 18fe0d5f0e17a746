package fact

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/memory"
)

var formDay = time.Date(2026, 11, 21, 14, 32, 7, 0, time.UTC)

func formFact() memory.Fact {
	return memory.Fact{ID: "1", Type: memory.Semantic, Importance: 0.5, Tags: []string{"a", "b"}, Key: "k", Namespace: "branch/topic",
		Expires: formDay.AddDate(-1, 0, 0), Text: "one\ntwo"}
}

func TestReadForm(t *testing.T) {
	old := formFact()
	form := factForm(old)
	if want := "---\ntype: semantic\nimportance: 0.5\nconfidence:\ntags: a, b\nkey: k\ncategory:\nnamespace: branch/topic\npath:\nexpires: 2025-11-21T14:32:07Z\n---\none\ntwo\n"; form != want {
		t.Fatalf("the form\n%s\nwant\n%s", form, want)
	}
	edit := func(from, to string) string {
		if !strings.Contains(form, from) {
			t.Fatalf("the form has no %q", from)
		}
		return strings.Replace(form, from, to, 1)
	}
	for _, c := range []struct {
		form string
		want func(*memory.Fact)
	}{
		{form, func(*memory.Fact) {}},
		{strings.TrimSuffix(form, "\n"), func(*memory.Fact) {}},
		{"\uFEFF" + strings.ReplaceAll(form, "\n", "\r\n"), func(*memory.Fact) {}},
		{edit("key: k\n", ""), func(*memory.Fact) {}},
		{edit("key: k\n", "key:\n"), func(f *memory.Fact) { f.Key = "" }},
		{edit("tags: a, b", "tags: c"), func(f *memory.Fact) { f.Tags = []string{"c"} }},
		{edit("type: semantic", "  type :  procedural "), func(f *memory.Fact) { f.Type = memory.Procedural }},
		{edit("importance: 0.5", "importance: 1"), func(f *memory.Fact) { f.Importance = 1 }},
		{edit("branch/topic", "project"), func(f *memory.Fact) { f.Namespace = "" }},
		{edit("expires: 2025-11-21T14:32:07Z", "expires: 2026-12-24"), func(f *memory.Fact) { f.Expires = time.Date(2026, 12, 25, 0, 0, 0, 0, time.UTC) }},
		{edit("one\ntwo\n", "\n--- three\n---\n\n"), func(f *memory.Fact) { f.Text = "--- three\n---" }},
	} {
		want := old
		c.want(&want)
		change, err := readForm(c.form, old, formDay)
		var got memory.Fact
		if err == nil {
			got, err = change.apply(old, formDay)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q\nhave %+v, %v\nwant %+v", c.form, got, err, want)
		}
	}
	for _, c := range []struct {
		form, want string
		line       int
	}{
		{"", "have to begin with ---", 1},
		{"type: semantic\n---\nx", "have to begin with ---", 1},
		{"---\ntype: semantic\n", "have no end", 3},
		{edit("key: k", "kye: k"), `"kye: k" is no attribute: want type, importance`, 6},
		{edit("key: k", "key k"), `"key k" is no attribute`, 6},
		{edit("key: k", "type: semantic"), "type is given twice", 6},
		{edit("type: semantic", "type:"), "type: must be", 2},
		{edit("importance: 0.5", "importance: much"), "importance: want a number", 3},
		{edit("namespace: branch/topic", "namespace: nowhere"), "namespace: want project", 8},
		{edit("expires: 2025-11-21T14:32:07Z", "expires: 2001-01-01"), "expires: 2001-01-01 is past", 10},
		{edit("one\ntwo\n", " \n"), "the text is empty", 12},
		{edit("one", strings.Repeat("x", MaxFactText)), "larger than 64.0 KiB", 12},
	} {
		_, err := readForm(c.form, old, formDay)
		if !app.IsUsage(err) || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", c.line)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want line %d: %s", c.form, err, c.line, c.want)
		}
	}
	change, _ := readForm(edit("one", "hunter2"), old, formDay)
	if *change.redacted(func(string) string { return "(gone)" }).Text != "(gone)" {
		t.Error("a secret that was typed stays")
	}
}

// FuzzForm never loses what was not touched, and reads anything.
func FuzzForm(f *testing.F) {
	f.Add("text", "a", "key", "b,c", "---\nkey: x\n---\ny")
	f.Add("---\n---", "", "\r\n", "pinned", "")
	f.Fuzz(func(t *testing.T, text, category, key, tag, form string) {
		old := memory.Fact{ID: "1", Type: "odd", Category: category, Key: key, Tags: []string{tag}, Text: text}
		change, err := readForm(factForm(old), old, formDay)
		if err != nil || !reflect.DeepEqual(change, Change{}) {
			t.Fatalf("have %+v, %v: want no change", change, err)
		}
		if change, err := readForm(form, old, formDay); err == nil && change.Text != nil && *change.Text == "" {
			t.Fatalf("no text from %q", form)
		}
	})
}
