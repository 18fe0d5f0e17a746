package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

var now = time.Date(2026, 11, 21, 14, 32, 7, 0, time.FixedZone("", 3600))

// id is a valid id that ends with n.
func id(n int) string { return fmt.Sprintf("0199aaaa-0000-7000-8000-%012d", n) }

// sample is a memory with everything in it that an export has to carry.
func sample() map[string][]byte {
	run := memory.Entry{
		ID: id(1), Kind: memory.KindRun, Time: now, Title: "Fix <b>the</b> login", Agent: "claude", Model: "m", Session: "s", Branch: "main", Worktree: "w", Base: "abc1234",
		Commits: []changeset.Commit{{ID: strings.Repeat("ab", 20), Subject: "fix: it"}, {ID: strings.Repeat("cd", 20)}}, Patch: []string{"", "p2", "all"}, PossibleCommits: []changeset.Commit{{ID: strings.Repeat("ef", 20), Subject: "whose?"}}, Runs: []string{id(9)},
		Pinned: true, Task: "Fix the login\n\nIt is --> flaky.",
		Changes: changeset.List{Items: []changeset.Change{
			{Status: changeset.StatusRenamed, Path: "b.go", OldPath: "a.go", Added: 1, Deleted: 2, Counted: true, Note: "already changed before", Blob: "12345678", Certainty: changeset.Shown},
			{Status: changeset.StatusFolder, Path: "vendor/", Files: 120, Certainty: changeset.Likely},
			{Status: changeset.StatusAdded, Path: "whose.go", Certainty: changeset.Possible},
		}},
		Uncommitted: changeset.List{Unread: "index is locked"},
		Meanwhile:   changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "README.md"}}},
		Result:      &memory.Result{Outcome: memory.OutcomeFailed, ExitCode: 3, Duration: 72*time.Second + 5, Turns: 6, CostUSD: 0.04, Undone: now, RevertedBy: strings.Repeat("ef", 20)},
		Summary:     "Done.\n- or not", Errors: []string{"boom"}, Denials: []string{"Bash rm"}, Remarks: []string{"pulled 3 commits"},
		Facts: []memory.Fact{{ID: id(2), Type: memory.Procedural, Importance: 0.8, Tags: []string{"a,b", "c"}, Text: "Pass the clock in.\nAlways."}},
	}
	bytes1 := memory.Entry{ID: id(3), Kind: memory.KindCommit, Time: now.UTC(), Title: "latin \xe9", Task: "latin \xe9"}
	full := memory.Fact{
		ID: id(4), Type: memory.Semantic, Importance: 1, Confidence: 0.7, Tags: []string{"pinned"}, Category: "Testing", Key: "port", Namespace: "branch/main",
		Supersedes: id(7), Struck: true, SupersededBy: id(8), Merged: []memory.Origin{{ID: id(5), Source: id(1), Commit: "abc", Created: now}, {ID: id(6)}},
		Source: "hand", Commit: "abc", Created: now, Updated: now.Add(time.Hour), Expires: now.AddDate(1, 0, 0), Text: "The port is ~~8080~~.",
	}
	hand := string(markdown.Format(memory.Entry{ID: id(10), Kind: memory.KindNote, Time: now, Facts: []memory.Fact{{ID: id(11), Text: "A note."}}}))
	hand = strings.Replace(hand, "\n---", "\nWritten by hand below it.\n\n---", 1)
	return map[string][]byte{
		"MEMORY.md":          []byte("# Memory\n\n## Style\n\n- Plain bullet by hand\n" + markdown.FormatFact(full) + markdown.FormatFact(memory.Fact{ID: id(12), Text: "bytes \xff"})),
		"2026-11-21.md":      slices.Concat([]byte("# 2026-11-21\n\nSeen today.\n\n"), markdown.Format(run), markdown.Format(bytes1), []byte(hand)),
		"archive/2026-08.md": markdown.Format(memory.Entry{ID: id(13), Kind: "odd", Time: time.Date(2026, 8, 3, 1, 2, 3, 0, time.UTC), Title: "Long ago"}),
		"archive/facts.md":   []byte("# Facts that left MEMORY.md\n\n- It faded. <!-- id=" + id(15) + " type=semantic -->\n"),
		"feedback.md":        []byte("# Feedback\n\n- x <!-- id=" + id(14) + " useless=" + id(1) + " -->\n"),
	}
}

// contents are the entries and facts of a memory, each as one text, sorted;
// hand-written text as facts.
func contents(files map[string][]byte) []string {
	var list []string
	for name, data := range files {
		if name == memory.FeedbackFile {
			continue
		}
		d := markdown.Parse(data)
		for _, e := range d.Entries() {
			list = append(list, string(markdown.Format(*e))+e.Extra)
		}
		for _, n := range d.Notes(name) {
			if n.Fact != nil {
				list = append(list, markdown.FormatFact(*n.Fact))
			}
		}
	}
	slices.Sort(list)
	return list
}

func export(t testing.TB, files map[string][]byte, format string, f Filter) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Export(&b, inMemory(files), format, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(t testing.TB, name, text string) []Item {
	t.Helper()
	items, problems, err := Read(name, strings.NewReader(text))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return items
}

// apply makes the edits, which must fit, and only add.
func apply(t testing.TB, files map[string][]byte, edits []memory.FileEdit) map[string][]byte {
	t.Helper()
	out := maps.Clone(files)
	for _, e := range edits {
		if !bytes.Equal(e.Before, out[e.File]) || !bytes.HasPrefix(e.After, e.Before) {
			t.Fatalf("edit of %s does not fit:\n%s", e.File, e.After)
		}
		out[e.File] = e.After
	}
	return out
}

func TestJSONLinesLoseNothing(t *testing.T) {
	from := sample()
	text := export(t, from, "jsonl", Filter{})
	edits, report := Plan(nil, read(t, "all.jsonl", text), Options{Now: now})
	if len(report.Problems) > 0 || report.Forgotten > 0 { // the facts inside whole files are in memory already
		t.Errorf("%+v", report)
	}
	to := apply(t, map[string][]byte{}, edits)
	// Hand-written text has ids now; they are removed on both sides for the comparison.
	got := slices.DeleteFunc(contents(to), func(s string) bool { return strings.Contains(s, "source=import:all.jsonl") })
	if want := contents(from); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range []string{"Plain bullet by hand", "Seen today."} {
		if !strings.Contains(string(to["MEMORY.md"])+string(to["2026-11-21.md"]), s) {
			t.Errorf("%q is lost", s)
		}
	}
	if got, want := string(to["archive/facts.md"]), string(from["archive/facts.md"]); got != want {
		t.Errorf("what faded is %q, want %q", got, want)
	}
	if _, report := Plan(to, read(t, "all.jsonl", text), Options{Now: now}); len(report.Added) > 0 {
		t.Errorf("a second time adds %+v", report.Added)
	}
	again, report := Plan(from, read(t, "all.jsonl", text), Options{Now: now})
	if len(again) > 0 {
		t.Errorf("to its own memory it adds %+v", report.Added)
	}
}

func TestMarkdownLosesNoEntryAndNoFact(t *testing.T) {
	from := sample()
	text := export(t, from, "markdown", Filter{})
	edits, report := Plan(nil, read(t, "all.md", text), Options{Now: now})
	if len(report.Problems) > 0 {
		t.Errorf("%+v", report)
	}
	to := apply(t, map[string][]byte{}, edits)
	got := slices.DeleteFunc(contents(to), func(s string) bool { return strings.Contains(s, "source=import:all.md") })
	if want := contents(from); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\nfrom\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), text)
	}
	if again, _ := Plan(from, read(t, "all.md", text), Options{Now: now}); len(again) > 0 {
		t.Errorf("to its own memory it adds %s", again[0].After)
	}
}

func TestFactsOnlyKeepTheirDay(t *testing.T) {
	for _, format := range Formats {
		text := export(t, sample(), format, Filter{FactsOnly: true})
		if strings.Contains(text, "kind=run") || strings.Contains(text, `"kind":"run"`) {
			t.Errorf("%s holds an entry:\n%s", format, text)
		}
		name := "facts.jsonl"
		if format == "markdown" {
			name = "facts.md"
		}
		edits, _ := Plan(nil, read(t, name, text), Options{Now: now})
		to := apply(t, map[string][]byte{}, edits)
		daily := string(to["2026-11-21.md"])
		for _, want := range []string{"id=" + id(2), "id=" + id(11), "Seen today.", "Pass the clock in.", "created=2026-11-21T14:32:07+01:00"} {
			if !strings.Contains(daily, want) {
				t.Errorf("%s: %q is not in\n%s", format, want, daily)
			}
		}
		if !strings.Contains(string(to["MEMORY.md"]), "merged="+id(5)) {
			t.Errorf("%s: MEMORY.md is\n%s", format, to["MEMORY.md"])
		}
	}
}

func TestFilters(t *testing.T) {
	project, branch := "", "branch/main"
	for name, c := range map[string]struct {
		filter Filter
		want   int
	}{
		"all":       {Filter{}, 9},
		"since":     {Filter{Since: now}, 4},
		"until":     {Filter{Until: now.AddDate(0, 0, -1)}, 1},
		"type":      {Filter{Type: memory.Procedural}, 1},
		"tag":       {Filter{Tags: []string{"pinned"}}, 1},
		"branch":    {Filter{Namespace: &branch}, 1},
		"project":   {Filter{Namespace: &project, FactsOnly: true}, 6},
		"nothing":   {Filter{Tags: []string{"pinned"}, Type: memory.Procedural}, 0},
		"factsonly": {Filter{FactsOnly: true}, 7},
	} {
		for _, format := range Formats {
			var b bytes.Buffer
			n, err := Export(&b, inMemory(sample()), format, c.filter)
			if err != nil || n != c.want {
				t.Errorf("%s as %s: %d pieces, want %d; %v\n%s", name, format, n, c.want, err, b.String())
			}
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestExportSaysThatItCouldNotWrite(t *testing.T) {
	if _, err := Export(failing{}, inMemory(sample()), "jsonl", Filter{}); err == nil || !strings.Contains(err.Error(), "writing the export: disk full") {
		t.Error(err)
	}
}

// TestCertaintyInLines: lines say how sure a change is the run's, and those
// from before that claim nothing.
func TestCertaintyInLines(t *testing.T) {
	text := export(t, sample(), "jsonl", Filter{})
	if !strings.Contains(text, `"certainty":"likely"`) || !strings.Contains(text, `"possible_commits":[{"id":"efef`) {
		t.Errorf("not told:\n%s", text)
	}
	for _, c := range []string{"shown", "likely", "possible"} {
		text = strings.ReplaceAll(text, `,"certainty":"`+c+`"`, "")
	}
	for _, it := range read(t, "old.jsonl", text) {
		if it.Entry == nil || it.Entry.ID != id(1) {
			continue
		}
		for _, c := range it.Entry.Changes.Items {
			if c.Certainty != changeset.Possible {
				t.Errorf("%s is %q", c.Path, c.Certainty)
			}
		}
		return
	}
	t.Error("no run was read")
}

func inMemory(files map[string][]byte) Files {
	return Files{slices.Collect(maps.Keys(files)), func(name string) ([]byte, error) { return files[name], nil }}
}

// TestExportReadsAFewAtOnce holds that files are read as their turn comes, and none
// after an error.
func TestExportReadsAFewAtOnce(t *testing.T) {
	var read atomic.Int32
	files := Files{Read: func(name string) ([]byte, error) {
		if read.Add(1); name == "2026-01-03.md" {
			return nil, errors.New("gone")
		}
		return []byte("# Day\n\n- A fact.\n"), nil
	}}
	for day := range 28 {
		files.Names = append(files.Names, fmt.Sprintf("2026-01-%02d.md", day+1))
	}
	n, err := Export(io.Discard, files, "jsonl", Filter{})
	if n != 2 || err == nil || err.Error() != "gone" {
		t.Errorf("exported %d, %v", n, err)
	}
	if most := int32(4 + 2*runtime.GOMAXPROCS(0)); read.Load() > most {
		t.Errorf("%d files were read", read.Load())
	}
}
