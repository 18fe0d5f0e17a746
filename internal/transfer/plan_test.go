package transfer

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

// fact is a line of JSON Lines.
func fact(id, text, more string) string {
	return fmt.Sprintf(`{"v":1,"kind":"fact","id":%q,"text":%q%s}`+"\n", id, text, more)
}

func TestImportNeverOverwrites(t *testing.T) {
	files := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n- By hand.\n" +
		markdown.FormatFact(memory.Fact{ID: id(1), Text: "The port is 8080.", Merged: []memory.Origin{{ID: id(2)}}}) +
		markdown.FormatFact(memory.Fact{ID: id(3), Text: "Old.", Struck: true}))}
	gone := map[string]bool{id(4): true, memory.TextID("The secret door."): true}
	text := fact(id(1), "The port is 9090.", "") + fact(id(2), "Port!", "") + fact(id(5), "the port is  8080", "") + fact("", "by hand", "") +
		fact("", "old", "") + fact(id(4), "Forgotten by id.", "") + fact("", "the  secret door", "") + fact(id(6), "New.", `,"merged":[{"id":"`+id(4)+`"},{"id":"`+id(2)+`"},{"id":"`+id(7)+`"}]`) +
		fact("", "Also new.", `,"day":"2026-03-04"`) + fact("", "also new", "") + fact("", "The port is 8080.", `,"namespace":"branch/x"`)
	edits, report := Plan(files, read(t, "in.jsonl", text), Options{Now: now, Barred: func(id string) bool { return gone[id] }})
	if report.Standing != 2 || report.Same != 4 || report.Forgotten != 2 || len(report.Added) != 3 || len(report.Problems) != 0 {
		t.Errorf("%+v", report)
	}
	to := apply(t, files, edits)
	want := string(files["MEMORY.md"]) +
		"- New. <!-- id=" + id(6) + " merged=" + id(7) + " -->\n" +
		"- The port is 8080. <!-- id=" + memory.HashID("fact", "branch/x", "the port is 8080", "") + " ns=branch/x source=import:in.jsonl created=2026-11-21T14:32:07+01:00 -->\n"
	if got := string(to["MEMORY.md"]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	factID := memory.HashID("fact", "", "also new", "2026-03-04")
	wantDay := "# 2026-03-04\n\n## Notes\n\n- Also new. <!-- id=" + factID + " source=import:in.jsonl created=2026-11-21T14:32:07+01:00 note=" + memory.HashID("note", factID) + " noted=2026-03-04T00:00:00Z -->\n"
	if got := string(to["2026-03-04.md"]); got != wantDay {
		t.Errorf("got\n%s\nwant\n%s", got, wantDay)
	}
}

func TestNotesOfOtherTools(t *testing.T) {
	var items []Item
	for _, f := range []struct{ name, text string }{
		{"CLAUDE.md", "# CLAUDE.md\n\nGuidance for Claude.\n\n## Commands\n- `npm test` runs the tests\n"},
		{"memory/MEMORY.md", "# Memory\n\n- [Testing](testing.md) — how tests run\n"},
		{"memory/testing.md", "---\nname: testing\ntype: procedural\ntags: [ci]\n---\n\nTests run in Docker.\n"},
		{"memory/2026-03-04-parser.md", "# Session: 2026-03-04 10:30 UTC\n\n- Chose a Pratt parser\n"},
		{"memory/2026-03-05.md", "## Decisions\n\nKeep SQLite.\n"},
	} {
		items = append(items, read(t, f.name, f.text)...)
	}
	archive := map[string][]byte{"archive/2026-03.md": []byte("# 2026-03\n")}
	edits, report := Plan(archive, items, Options{Now: now, Namespace: "branch/x"})
	var got []string
	for _, a := range report.Added {
		got = append(got, a.File+" "+a.Text)
	}
	want := []string{
		"MEMORY.md Guidance for Claude.", "MEMORY.md Commands: `npm test` runs the tests", "MEMORY.md [Testing](testing.md) — how tests run", "MEMORY.md Tests run in Docker.",
		"archive/2026-03.md Chose a Pratt parser", "archive/2026-03.md Decisions: Keep SQLite.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	to := apply(t, archive, edits)
	for _, want := range []string{"category=Commands ns=branch/x source=import:CLAUDE.md", "tags=ci ns=branch/x source=import:memory/testing.md"} {
		if !strings.Contains(string(to["MEMORY.md"]), want) {
			t.Errorf("%q is not in\n%s", want, to["MEMORY.md"])
		}
	}
	if again, report := Plan(to, items, Options{Now: now.Add(time.Hour), Namespace: "branch/x"}); len(again) > 0 {
		t.Errorf("again adds %+v", report.Added)
	}
}

func TestAnEntryComesWithoutWhatStandsElsewhere(t *testing.T) {
	e := memory.Entry{ID: id(1), Kind: memory.KindRun, Time: now, Title: "Run", Result: &memory.Result{}, Summary: "Did it.",
		Facts: []memory.Fact{{ID: id(2), Text: "Promoted."}, {ID: id(3), Text: "Forgotten."}, {ID: id(4), Text: "Stays."}}}
	note := memory.Entry{ID: id(5), Kind: memory.KindNote, Time: now, Facts: []memory.Fact{{ID: id(6), Text: "Promoted."}}}
	files := map[string][]byte{"MEMORY.md": []byte("- Promoted. <!-- id=" + id(2) + " -->\n")}
	raw := strings.Replace(string(markdown.Format(e)), "### Summary\n", "By hand.\n\n### Summary\n", 1)
	edits, report := Plan(files, read(t, "x.md", raw+string(markdown.Format(note))), Options{Now: now, Barred: func(s string) bool { return s == id(3) }})
	got := string(apply(t, files, edits)["2026-11-21.md"])
	if strings.Contains(got, id(2)) || strings.Contains(got, id(3)) || strings.Contains(got, id(5)) || !strings.Contains(got, id(4)) || !strings.Contains(got, "By hand.") {
		t.Errorf("%s\n%+v", got, report)
	}
	if len(report.Added) != 1 || report.Standing != 1 || report.Forgotten != 1 || report.Same != 1 {
		t.Errorf("%+v", report)
	}
}

func TestBadLines(t *testing.T) {
	long := `{"v":1,"kind":"fact","text":"` + strings.Repeat("x", maxLine) + "\"}\n"
	text := "\xEF\xBB\xBF" + fact("", "First.", "") + "{\"v\":1,\n" + long + "\n" + `{"text":"of another tool"}` + "\n" + `{"v":9,"kind":"fact","text":"later"}` + "\n" +
		`{"v":1,"kind":"dream","text":"x"}` + "\n" + `{"v":1,"kind":"fact","text":"latin ` + "\xe9" + `"}` + "\n" + fact("../../etc/passwd", "Has no id.", "") +
		`{"v":1,"kind":"run","id":"` + id(1) + `","title":"no time"}` + "\n" + `{"v":1,"kind":"fact","created":"yesterday","text":"x"}` + "\n" +
		fact(id(2), "One.", "") + fact(id(2), "Two.", "") + fact(id(2), "One.", "") + fact("", strings.Repeat("y", maxText+1), "") + fact("", " ", "") + fact("", "Last.", "") + `{"v":1,"kind":"fact","day":"soon","text":"x"}`
	items, problems, err := Read("in.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	edits, report := Plan(nil, items, Options{Now: now})
	var got []string
	for _, p := range append(problems, report.Problems...) {
		got = append(got, p.String())
	}
	want := []string{
		`in.jsonl:2: left out: broken JSON at byte 7: unexpected end of JSON input`,
		`in.jsonl:3: the line is longer than 10 MB, and was left out`,
		`in.jsonl:5: left out: it is no line of an export: "v" and "kind" are missing`,
		`in.jsonl:6: left out: it was written by a newer agentflow (v=9)`,
		`in.jsonl:7: left out: there is no kind "dream"`,
		`in.jsonl:8: bytes that are not UTF-8 were replaced`,
		`in.jsonl:11: left out: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`,
		`in.jsonl:18: left out: day: want a date such as 2026-11-21, have "soon"`,
		`in.jsonl:9: "../../etc/passwd" is no id: it gets another`,
		`in.jsonl:10: left out: an entry without a time`,
		`in.jsonl:13: left out: id ` + id(2) + ` is that of in.jsonl:12 too`,
		`in.jsonl:15: left out: 64 KB of text are no fact`,
		`in.jsonl:16: left out: a fact without text`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	all := string(apply(t, map[string][]byte{}, edits)["MEMORY.md"])
	for _, s := range []string{"First.", "latin \uFFFD", "Has no id.", "One.", "Last."} {
		if strings.Count(all, s) != 1 {
			t.Errorf("%q is not there once:\n%s", s, all)
		}
	}
}

func TestBadMarkdown(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"binary":     {"\x7fELF\x00\x01", "it is no text"},
		"long line":  {"- ok\n- " + strings.Repeat("x", 10<<20) + "\n", "10240 KB of text are no fact"},
		"bad id":     {"- ok <!-- id=a%2F..%2Fb type=semantic -->\n", `"a/../b" is no id`},
		"unclosed":   {"```\n- ok\n<!-- \n", ""},
		"duplicates": {"- ok <!-- id=" + id(1) + " -->\n- other <!-- id=" + id(1) + " -->\n", "is that of in.md:1 too"},
	} {
		items, problems, err := Read("in.md", strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		edits, report := Plan(nil, items, Options{Now: now})
		told := fmt.Sprint(problems, report.Problems)
		if !strings.Contains(told, c.want) || (c.want == "") != (told == "[] []") {
			t.Errorf("%s: %s", name, told)
		}
		to := apply(t, map[string][]byte{}, edits)
		if all := slices.Concat(to["MEMORY.md"], to["imported/in.md"]); name != "binary" && !bytes.Contains(all, []byte("ok")) {
			t.Errorf("%s: the rest is lost: %q", name, all)
		}
	}
}

func TestTextIsAddedBelowWhatStands(t *testing.T) {
	for _, before := range []string{"", "# Memory", "# Memory\n\n- a\n", "# Memory\n\n| a |\n|---|\n", string(markdown.Format(memory.Entry{ID: id(1), Kind: memory.KindNote, Time: now}))[:80], "```\nopen\n", "<!-- open\n"} {
		files := map[string][]byte{"MEMORY.md": []byte(before)}
		edits, _ := Plan(files, read(t, "x.jsonl", fact(id(2), "New ``` one.", "")), Options{Now: now})
		d := markdown.Parse(apply(t, files, edits)["MEMORY.md"])
		last := d.Blocks[len(d.Blocks)-1]
		if len(last.Facts) == 0 || last.Facts[len(last.Facts)-1].ID != id(2) || last.Entry != nil {
			t.Errorf("below %q it is no fact:\n%s", before, d.Bytes())
		}
	}
}

func TestRedact(t *testing.T) {
	items := read(t, "all.jsonl", export(t, sample(), "jsonl", Filter{}))
	Redact(items, func(s string) string {
		return strings.NewReplacer("login", "[redacted]", "hand below", "[redacted]", "Always", "[redacted]", "Plain", "[redacted]").Replace(s)
	})
	edits, _ := Plan(nil, items, Options{Now: now})
	for name, data := range apply(t, map[string][]byte{}, edits) {
		for _, s := range []string{"login", "hand below", "Always", "Plain"} {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s holds %q", name, s)
			}
		}
	}
}

// check verifies what Plan promises, for any items.
func check(t *testing.T, items []Item) {
	files := sample()
	edits, report := Plan(files, items, Options{Now: now})
	to := apply(t, files, edits)
	var ids []string
	for _, data := range to {
		ids = append(ids, markdown.Parse(data).IDs()...)
	}
	slices.Sort(ids)
	for _, a := range report.Added {
		if _, ok := slices.BinarySearch(ids, a.ID); !ok {
			t.Fatalf("%+v was not added", a)
		}
	}
	if again, report := Plan(to, items, Options{Now: now}); len(again) > 0 {
		t.Fatalf("again adds %+v to\n%s", report.Added, again[0].Before)
	}
	var b bytes.Buffer
	if _, err := Export(&b, inMemory(to), "jsonl", Filter{}); err != nil {
		t.Fatal(err)
	}
	if again, report := Plan(to, read(t, "again.jsonl", b.String()), Options{Now: now}); len(again) > 0 {
		t.Fatalf("its own export adds %+v", report.Added)
	}
}

func FuzzReadLines(f *testing.F) {
	for _, line := range strings.SplitAfter(export(f, sample(), "jsonl", Filter{}), "\n") {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		items, _, err := Read("in.jsonl", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		check(t, items)
	})
}

func FuzzReadMarkdown(f *testing.F) {
	for _, data := range sample() {
		f.Add(data)
	}
	f.Add([]byte(export(f, sample(), "markdown", Filter{})))
	f.Fuzz(func(t *testing.T, text []byte) {
		items, _, err := Read("2026-11-21.md", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		check(t, items)
	})
}
