package frozen

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/sessiontest"
	"agentflow/memory"
)

// TestBlocks compares the text that agents receive in some fixed situations
// with blocks.txt.
func TestBlocks(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		name string
		text func(*labtest.Lab) string
	}{
		{"a session starts, memory is empty", func(l *labtest.Lab) string { return session(empty(l)).Start("startup") }},
		{"a session starts", func(l *labtest.Lab) string { return session(l).Start("startup") }},
		{"a prompt in the words of an entry", prompt("How does the ferry timetable sort its departures?")},
		{"a prompt in the words of a fact", prompt("How do I run the harbour tests?")},
		{"a prompt that memory knows nothing of", prompt("Write a poem about the moon in three lines.")},
		{"a second prompt, which does not repeat the first one's hits", secondPrompt},
		{"a session after compaction", compacted},
		{"a session below web, where a fact has that path", func(l *labtest.Lab) string {
			p := session(l)
			p.Dir = l.Path("web")
			return p.Start("startup")
		}},
		{"a run's prompt", func(l *labtest.Lab) string {
			return l.Agentflow("run", "--dry-run", "Sort the departures of the ferry timetable by quay")
		}},
		{"recall over MCP", search},
		{"memory that came with a clone", func(l *labtest.Lab) string {
			l.Git("add", "-Af", ".agentflow/memory")
			l.Git("commit", "-qm", "memory")
			clone := l.In(l.Path("../clone"))
			l.Git("clone", "-q", ".", clone.Repo)
			return session(clone).Start("startup")
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			l := labtest.New(t, "").With("TZ=UTC")
			l.Settings("[session]\ndeadline = \"20s\"\n[recall]\ndeadline = \"20s\"\n")
			fillMemory(l)
			fmt.Fprintf(&b, "-- %s --\n%s\n", s.name, fixed(l, s.text(l)))
			l.Settle()
		})
	}
	same(t, "testdata/blocks.txt", b.String())
}

// session returns a player of a session of the Claude CLI in a lab's repository.
func session(l *labtest.Lab) *sessiontest.Player {
	return sessiontest.New(l, func(env []string, stdin []byte) []byte {
		l.T.Helper()
		cmd := l.With(env...).Command("session", "hook")
		cmd.Stdin = strings.NewReader(string(stdin))
		out, err := cmd.Output()
		if err != nil {
			l.T.Fatal(err)
		}
		return out
	})
}

func empty(l *labtest.Lab) *labtest.Lab {
	l.Remove(".agentflow")
	l.Agentflow("init")
	return l
}

// prompt returns what a session's first prompt receives, with the line that the person sees.
func prompt(text string) func(*labtest.Lab) string {
	return func(l *labtest.Lab) string {
		p := session(l)
		p.Start("startup")
		context, message := p.Ask(text)
		return message + "\n" + context
	}
}

func secondPrompt(l *labtest.Lab) string {
	p := session(l)
	p.Start("startup")
	p.Turn("How does the ferry timetable sort its departures?", sessiontest.Say("By quay."))
	context, message := p.Ask("Does the ferry timetable sort departures by hour too?")
	return message + "\n" + context
}

func compacted(l *labtest.Lab) string {
	p := session(l)
	p.Start("startup")
	p.Turn("How do I run the harbour tests?", sessiontest.Say("With make harbour."))
	return p.Compact()
}

// search returns the answers of the tools memory_search and memory_recall, if there is one.
func search(l *labtest.Lab) string {
	cmd := l.Command("mcp")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"frozen","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"ferry timetable departures"}}}
`)
	out, err := cmd.Output()
	if err != nil {
		l.T.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var answer struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == 2 && len(answer.Result.Content) > 0 {
			return answer.Result.Content[0].Text
		}
	}
	l.T.Fatalf("no answer to memory_search: %s", out)
	return ""
}

// fillMemory writes facts of a person and entries of the last days.
func fillMemory(l *labtest.Lab) {
	l.Write("timetable.go", "package ferry\n\n// Sort sorts departures.\nfunc Sort() {}\n")
	l.Write("crane/oil.go", "package crane\n")
	l.Write("web/page.html", "<p>\n")
	l.Git("add", ".")
	l.Git("commit", "-qm", "Add the timetable")
	l.Agentflow("init")
	l.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Run the harbour tests with make harbour.\n- Never oil a crane that moves.\n\n## web/\n\n- The page works without JavaScript.\n")
	for i, e := range []struct{ title, summary, file, result string }{
		{"Make the ferry timetable readable", "Departures are sorted by quay, since sorting by hour hid the night ferry.", "timetable.go", "outcome=ok"},
		{"Oil the cranes of the harbour on Mondays", "The week begins on Monday in every locale: the calendar of the C library was wrong.", "crane/oil.go", "outcome=ok"},
		{"Paint the pier", "The paint shop was closed.", "", "outcome=failed exit=1"},
	} {
		at := time.Now().UTC().AddDate(0, 0, -3+i).Truncate(24 * time.Hour).Add(10 * time.Hour)
		text := fmt.Sprintf("# %s\n\n## 10:00 %s\n\n%s\n\n", at.Format(time.DateOnly), e.title, e.summary)
		if e.file != "" {
			text += fmt.Sprintf("- changed: %s +3 −1\n\n", e.file)
		}
		text += fmt.Sprintf("<!-- agentflow v=2 kind=session id=0199a1b2-0000-7000-8000-00000000000%d time=%s agent=claude branch=main %s turns=2 seconds=23 -->\n", i, at.Format(time.RFC3339), e.result)
		l.Write(".agentflow/memory/"+memory.DayFile(at), text)
	}
}

var dates = regexp.MustCompile(`\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?`)

// fixed replaces what differs from one run of the test to the next: folders and dates.
func fixed(l *labtest.Lab, text string) string {
	text = strings.ReplaceAll(text, l.Repo, "REPO")
	return dates.ReplaceAllString(text, "DATE")
}
