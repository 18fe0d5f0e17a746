package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// lines2 are the lines of an entry in version 2 without its comment and the empty lines
// around that, and the comment.
func lines2(t *testing.T, e memory.Entry) (lines []string, comment string) {
	t.Helper()
	checkEntry2(t, e)
	for line := range strings.Lines(strings.TrimRight(string(FormatV2(e)), "\n")) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	comment = lines[len(lines)-1]
	return lines[:len(lines)-2], comment
}

func rulesEntry(t *testing.T) memory.Entry {
	return memory.Entry{
		ID: "01a217a4-36ea-7000-8000-000000000001", Kind: memory.KindSession, Time: memorytest.At(t, memorytest.Day),
		Title: "Say which prefixes are accepted", Task: "Say which prefixes are accepted", Agent: "claude", Branch: "main", Base: strings.Repeat("2ac8989f", 5),
		Summary: "The error lists the accepted prefixes. Kept `%q`, because usage.txt matches on it.",
		Commits: []changeset.Commit{{ID: strings.Repeat("9db68aa0", 5), Subject: "cmd/age: name the accepted prefixes"}},
		Changes: changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "cmd/age/parse.go", Added: 1, Counted: true, Certainty: changeset.Shown}}},
		Denials: []string{"Bash go vet ./...: the user said \"later\""},
		Checks:  []string{"go test ./... passed", "golangci-lint run failed"},
		Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: 23456 * time.Millisecond, Turns: 2, CostUSD: 0.093797},
		Facts:   []memory.Fact{{ID: "01a217a4-36ea-7000-8000-000000000002", Text: "Error messages are plain ASCII.", Source: "agent"}},
	}
}

// TestOneFileChange checks that the entry of a change to one file has at most nine lines besides
// its comment, repeats nothing, and has no empty items.
func TestOneFileChange(t *testing.T) {
	e := rulesEntry(t)
	lines, _ := lines2(t, e)
	want := []string{
		"## 14:32 Say which prefixes are accepted", "",
		e.Summary, "",
		"- changed: cmd/age/parse.go +1 −0",
		"- commit: 9db68aa cmd/age: name the accepted prefixes",
		`- denied: Bash go vet ./...: the user said "later"`,
		"- checks: go test ./... passed, golangci-lint run failed",
	}
	if got := lines[:len(lines)-1]; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(lines) > 9 || !strings.HasPrefix(lines[len(lines)-1], "- [fact] Error messages are plain ASCII. <!-- id=01a217a4-36ea-7000-8000-000000000002 ") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// TestNothingEmpty holds that an entry of nothing has no line but its heading.
func TestNothingEmpty(t *testing.T) {
	e := rulesEntry(t)
	bare := memory.Entry{ID: e.ID, Kind: e.Kind, Time: e.Time, Title: e.Title, Task: e.Title, Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}}
	lines, comment := lines2(t, bare)
	if strings.Join(lines, "\n") != "## 14:32 Say which prefixes are accepted" {
		t.Errorf("%q", lines)
	}
	for _, word := range []string{"None", "turns=", "exit=", "seconds=", "cost=", "certainty=", "commits=", "asked=", `=""`, "= "} {
		if text := strings.Join(lines, "\n") + comment; strings.Contains(text, word) {
			t.Errorf("%q is in %s", word, text)
		}
	}
}

// TestTitleIsSaidOnce holds that "asked" has only what the title does not say.
func TestTitleIsSaidOnce(t *testing.T) {
	for task, want := range map[string]string{
		"Fix the build":                          "",
		"Fix the build\n\nIt fails on Windows.":  "- asked: It fails on Windows.",
		"Something else":                         "- asked: Something else",
		"Fix the build\nand the tests of parser": "- asked: and the tests of parser",
	} {
		e := rulesEntry(t)
		e.Title, e.Task = "Fix the build", task
		lines, comment := lines2(t, e)
		text := strings.Join(lines, "\n")
		if strings.Count(text+comment, "Fix the build") != 1 || want == "" == strings.Contains(text, "asked:") || !strings.Contains(text, want) {
			t.Errorf("%q reads\n%s\n%s", task, text, comment)
		}
	}
}

// TestFailures holds that the heading says how a run failed, and a line each why.
func TestFailures(t *testing.T) {
	e := rulesEntry(t)
	e.Result = &memory.Result{Outcome: memory.OutcomeFailed, ExitCode: 3}
	e.Errors, e.Denials = []string{"exit 3: `unknown flag`", "every write was denied"}, []string{"Write a.go", "Bash rm -rf ."}
	lines, comment := lines2(t, e)
	text := "\n" + strings.Join(lines, "\n") + "\n"
	for _, line := range []string{"## 14:32 Say which prefixes are accepted: failed", "- failed: exit 3: `unknown flag`", "- failed: every write was denied", "- denied: Write a.go", "- denied: Bash rm -rf ."} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q in %s", line, text)
		}
	}
	if !strings.Contains(comment, " outcome=failed exit=3") {
		t.Errorf("%s", comment)
	}
	for outcome, ending := range endings {
		e.Result.Outcome = outcome
		if lines, _ := lines2(t, e); !strings.HasSuffix(lines[0], ending) {
			t.Errorf("%s: %s", outcome, lines[0])
		}
	}
}

// TestCommentIsWhole checks that the comment is the last line, on one line, with whole ids and
// rounded numbers, for odd and large entries.
func TestCommentIsWhole(t *testing.T) {
	e := rulesEntry(t)
	e.Branch, e.Model = "odd\n-->branch", "a b\"c"
	for i := range 20 {
		e.Uncommitted.Items = append(e.Uncommitted.Items, changeset.Change{Status: changeset.StatusAdded, Path: fmt.Sprintf("dir/%02d -->.go", i), Counted: true, Added: i, Certainty: changeset.Likely})
	}
	lines, comment := lines2(t, e)
	if !strings.HasPrefix(comment, "<!-- agentflow v=2 kind=session id="+e.ID+" ") || !strings.HasSuffix(comment, " -->") || strings.Count(comment, "-->") != 1 {
		t.Errorf("%s", comment)
	}
	for _, pair := range []string{" base=" + e.Base, " commits=" + e.Commits[0].ID, " seconds=23 ", " cost=0.09 ", " turns=2 "} {
		if !strings.Contains(comment+" ", pair) {
			t.Errorf("no %q in %s", pair, comment)
		}
	}
	if text := strings.Join(lines, "\n"); strings.Contains(text, "<!-- agentflow") || !strings.Contains(text, "07 -->.go") || !strings.Contains(text, ", and 12 more (all uncommitted)") || strings.Contains(text, "dir/08") {
		t.Errorf("%s", text)
	}
}

// TestListsOfEightFiles holds the bound on both sides, for each of the four lists.
func TestListsOfEightFiles(t *testing.T) {
	for n, end := range map[int]string{1: "f0", 8: "f7", 9: "f7, and 1 more", 300: "f7, and 292 more"} {
		e := memory.Entry{ID: "r1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Title: "Move"}
		var items []changeset.Change
		for i := range n {
			items = append(items, changeset.Change{Status: changeset.StatusModified, Path: fmt.Sprint("f", i), Certainty: changeset.Shown})
		}
		e.Changes.Items, e.Meanwhile.Items = items, items
		lines, comment := lines2(t, e)
		for _, line := range lines[2:] {
			if !strings.HasSuffix(line, end) {
				t.Errorf("%d files: %s", n, line)
			}
		}
		if more := strings.Contains(comment, " more="); len(lines) != 4 || more != (n > 8) {
			t.Errorf("%d files, %d lines: %s", n, len(lines), comment)
		}
	}
}

// TestNotesOfADay holds that facts of people are bullets, which one heading precedes.
func TestNotesOfADay(t *testing.T) {
	var v1 string
	for i := range 5 {
		v1 += string(Format(memory.Entry{ID: fmt.Sprint("n", i), Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Facts: []memory.Fact{{ID: fmt.Sprint("f", i), Text: fmt.Sprint("Fact ", i, ".")}}}))
	}
	text, n := Upgrade([]byte("# 2026-11-21\n\n" + v1))
	if n != 5 || strings.Count(string(text), "## Notes\n") != 1 || strings.Count(string(text), "\n") != 10 {
		t.Errorf("%d entries:\n%s", n, text)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "- ") && (strings.Count(line, "<!--") != 1 || !strings.HasPrefix(line, "- Fact ") || !strings.HasSuffix(line, " -->\n")) {
			t.Errorf("%s", line)
		}
	}
}

// TestLongSubject expects the text of a commit to continue the title where it was cut.
func TestLongSubject(t *testing.T) {
	e := memory.Entry{ID: "0199aaaa-0000-7000-8000-000000000001", Kind: memory.KindCommit, Title: "Use the documentation for errors…", Task: "Use the documentation for errors as a reference\n\nThe other is gone."}
	text := string(FormatV2(e))
	if want := "errors…\n\n… as a reference\n\n  The other is gone.\n"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}
