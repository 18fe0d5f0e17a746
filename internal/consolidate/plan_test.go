package consolidate

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// defaults are the defaults of the configuration.
var defaults = Options{FoldAfter: 30 * 24 * time.Hour, PromoteRuns: 3, PromoteImportance: 0.8}

// id returns the nth id of the tests, in the form of runs' ids.
func id(n int) string { return fmt.Sprintf("0199a1b2-0000-7000-8000-%012x", n) }

// apply returns memory after a plan.
func apply(files map[string][]byte, edits []memory.FileEdit) map[string][]byte {
	out := maps.Clone(files)
	for _, e := range edits {
		if !bytes.Equal(out[e.File], e.Before) {
			panic("the plan was made for other contents of " + e.File)
		}
		if e.After == nil {
			delete(out, e.File)
			continue
		}
		out[e.File] = e.After
	}
	return out
}

// factIDs returns the ids of all facts, each once, in order.
func factIDs(files map[string][]byte) []string {
	var ids []string
	for name, text := range files {
		if name == memory.FeedbackFile {
			continue
		}
		for _, b := range markdown.Parse(text).Blocks {
			for _, f := range b.Facts {
				ids = append(ids, f.IDs()...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// planned makes a plan and checks the properties of every plan.
func planned(t testing.TB, in Input) (map[string][]byte, Result) {
	t.Helper()
	r := Plan(in)
	after := apply(in.Files, r.Edits)
	kept := append(factIDs(after), r.Forget...)
	slices.Sort(kept)
	if before := factIDs(in.Files); !slices.Equal(before, slices.Compact(kept)) {
		t.Errorf("facts before: %q\nafter: %q\nforgotten: %q", before, factIDs(after), r.Forget)
	}
	again := in
	again.Files, again.Merges = after, nil
	for _, e := range Plan(again).Edits {
		t.Errorf("the second plan changes %s from\n%s\nto\n%s", e.File, e.Before, e.After)
	}
	return after, r
}

// entry returns a run's entry with these facts.
func entry(n int, when time.Time, facts ...memory.Fact) string {
	return string(markdown.Format(memory.Entry{ID: id(n), Kind: memory.KindRun, Time: when, Title: fmt.Sprintf("Run %d", n), Base: "c0ffee", Facts: facts}))
}

func note(n int, when time.Time, f memory.Fact) string {
	return string(markdown.Format(memory.Entry{ID: id(n), Kind: memory.KindNote, Time: when, Base: "c0ffee", Facts: []memory.Fact{f}}))
}

func daysAgo(n int) time.Time { return now.AddDate(0, 0, -n) }

func daily(n int) string { return memory.DayFile(daysAgo(n)) }

func said(n int, text string) memory.Fact {
	return memory.Fact{ID: id(n), Type: memory.Semantic, Importance: 0.5, Text: text}
}

// all returns the facts of memory by their first ids.
func all(files map[string][]byte) map[string]memory.Fact {
	out := map[string]memory.Fact{}
	for _, text := range files {
		for _, b := range markdown.Parse(text).Blocks {
			for _, f := range b.Facts {
				out[f.ID] = f.Fact
			}
		}
	}
	return out
}

func TestDuplicatesMerge(t *testing.T) {
	a, b := said(1, "The login test depends on the clock."), said(2, "Login test depends on the clock")
	b.Importance, b.Tags = 0.7, []string{"testing"}
	files := map[string][]byte{
		daily(2): []byte("# " + daily(2)[:10] + "\n\n" + entry(11, daysAgo(2), a)),
		daily(1): []byte("# " + daily(1)[:10] + "\n\n" + entry(12, daysAgo(1), b, said(3, "The login test depends on the cache"))),
	}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	facts := all(after)
	want := memory.Origin{ID: id(2), Source: id(12), Commit: "c0ffee", Created: daysAgo(1)}
	if f := facts[id(1)]; len(facts) != 2 || len(f.Merged) != 1 || f.Merged[0] != want || f.Importance != 0.7 || !slices.Equal(f.Tags, b.Tags) {
		t.Errorf("%+v", facts)
	}
	if len(r.Actions) != 1 || r.Actions[0].Kind != Merged || r.Actions[0].Into != id(1) {
		t.Errorf("%+v", r.Actions)
	}
}

// TestMergedFactsAreAboutTheFilesOfBoth: a fact about all files makes the other one such.
func TestMergedFactsAreAboutTheFilesOfBoth(t *testing.T) {
	for _, c := range []struct{ a, b, want []string }{
		{[]string{"web/**"}, []string{"api/**", "web/**"}, []string{"web/**", "api/**"}},
		{[]string{"web/**"}, nil, nil},
		{nil, []string{"web/**"}, nil},
	} {
		a, b := said(1, "The login test depends on the clock."), said(2, "Login test depends on the clock")
		a.Paths, b.Paths = c.a, c.b
		after, _ := planned(t, Input{Options: defaults, Now: now, Files: map[string][]byte{daily(1): []byte(entry(11, daysAgo(1), a) + entry(12, daysAgo(1), b))}})
		for _, f := range all(after) {
			if len(f.Merged) != 1 || !slices.Equal(f.Paths, c.want) {
				t.Errorf("%q and %q became %+v", c.a, c.b, f)
			}
		}
	}
}

func TestNewerValueStands(t *testing.T) {
	a, b, c := said(1, "The port is 5432"), said(2, "The port is 6543"), said(3, "The port is 1111")
	a.Key, b.Key, c.Key, c.Namespace = "port", "port", "port", "branch/x"
	files := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n" + markdown.FormatFact(a)), daily(1): []byte(note(11, daysAgo(1), b) + note(12, daysAgo(0), c))}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
	facts := all(after)
	if f := facts[id(1)]; !f.Struck || f.SupersededBy != id(2) || facts[id(2)].Struck || facts[id(3)].Struck {
		t.Errorf("%+v", facts)
	}
	if !bytes.Contains(after["archive/facts.md"], []byte(id(1))) {
		t.Errorf("what is struck stays in MEMORY.md:\n%s", after["MEMORY.md"])
	}
}

func TestPromotion(t *testing.T) {
	hand := "# Memory\n\nMy words.\n\n## Facts\n\n- mine\n\n## Other\nlast"
	important := said(1, "Tag before you push")
	important.Importance = 0.9
	files := map[string][]byte{"MEMORY.md": []byte(hand), daily(1): []byte(note(11, daysAgo(1), important))}
	for i := range 3 {
		files[daily(i+1)] = append(files[daily(i+1)], entry(20+i, daysAgo(i+1), said(2+i, "CI needs Docker"))...)
	}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
	facts := all(after)
	if got := string(after["MEMORY.md"]); got != "# Memory\n\nMy words.\n\n## Facts\n\n- mine\n\n"+markdown.FormatFact(facts[id(1)])+markdown.FormatFact(facts[id(4)])+"\n## Other\nlast" {
		t.Errorf("MEMORY.md is\n%s", got)
	}
	if f := facts[id(4)]; f.Source != id(22) || f.Commit != "c0ffee" || !f.Created.Equal(daysAgo(3)) || len(f.Merged) != 2 {
		t.Errorf("%+v", f)
	}
	if bytes.Contains(after[daily(1)], []byte(id(11))) {
		t.Errorf("the empty note stays:\n%s", after[daily(1)])
	}
}

func TestPossible(t *testing.T) {
	texts := []string{
		"The staging database listens on port 5432", "The staging database listens on port 5433",
		"Push directly to the release branch", "Never push directly to the release branch", "Do not push directly to the release branch",
		"The payment server calls the invoice client", "The invoice client calls the payment server",
		"Rotate the signing keys every quarter inside the vault console at night", "Rotate the signing keys every quarter within the vault console at night",
		"Something else entirely",
		"Use pnpm, never npm", "Use npm, pnpm was dropped",
	}
	var facts []memory.Fact
	for i, text := range texts {
		facts = append(facts, said(i, text))
	}
	struck := said(20, "Something else entirely.")
	struck.Struck = true
	files := map[string][]byte{daily(1): []byte(entry(30, daysAgo(1), append(facts, struck)...))}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	if !maps.EqualFunc(after, files, bytes.Equal) {
		t.Error("what is only possible was acted on")
	}
	var have []string
	for _, s := range r.Possible {
		have = append(have, fmt.Sprint(s.Kind, s.IDs[0][34:], s.IDs[1][34:]))
	}
	slices.Sort(have)
	want := []string{"contradiction0001", "contradiction0203", "contradiction0204", "contradiction0506", "contradiction0914", "contradiction0a0b", "duplicate0304", "duplicate0708"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q\n%+v", have, want, r.Possible)
	}
}
