//go:build e2e && linux

package claudetest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/internal/testing/agenttest"
	. "agentflow/internal/testing/modeltest"
)

// pixel is a picture.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var printed = Script{
	Main: []Turn{
		Say("Reading.").Use("Read", in{"file_path": "main.go"}),
		Use("Edit", in{"file_path": "main.go", "old_string": "hello", "new_string": "goodbye"}),
		Use("Write", in{"file_path": "new.txt", "content": "new\n"}).Use("Bash", in{"command": "make it", "description": "Make"}),
		Use("Bash", in{"command": "git add main.go && git commit -q -m bye", "description": "Commit"}).Use("Bash", in{"command": "git nonsense", "description": "Fail"}),
		Say("Changed the greeting.\n<save_memory>The greeting is goodbye.</save_memory>"),
		Say("Delegating.").Use("Agent", in{"description": "look around", "prompt": "Look around. <save_memory>asked of a subagent</save_memory>", "subagent_type": "general-purpose"}),
		Say("The subagent is back."),
		Say("Another way."),
		Say("The first way again."),
		Use("Write", in{"file_path": "half.txt", "content": "half\n"}),
		Fail(400, "invalid_request_error", "the request was not understood"),
		Say("Hello to all of you."),
		Use("Bash", in{"command": "sleep 300", "description": "Serve", "run_in_background": true}),
		Say("The server is running."),
		Say("A black pixel."),
	},
	Sub: []Turn{
		Say("Sub text.").Use("Write", in{"file_path": "sub.txt", "content": "sub\n"}).Use("Bash", in{"command": "git add sub.txt && git commit -q -m sub", "description": "Commit"}),
		Say("Sub done. <save_memory>concluded by a subagent</save_memory>"),
	},
}

func (l *lab) printAll() []string {
	const first = "00000000-0000-4000-8000-00000000abcd"
	l.print("Say goodbye instead\nand commit it", "--session-id", first)
	l.print("Have somebody look around", "--resume", first)
	l.print("Try another way", "--resume", first, "--fork-session")
	l.print("Go on the first way", "--resume", first)
	l.print("Write, then fail")
	l.print("/greet all of you")
	l.print("/context")
	l.print("Start the server")
	l.print(`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"What is in this picture?"},`+
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}]}}`+"\n",
		"--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
	return []string{"print", "print-subagent", "print-fork", "print-api-error", "print-command", "print-context", "print-background", "print-picture"}
}

var typedIn = Script{Main: []Turn{
	Say("First answer."),
	Say("Reading.").Use("Read", in{"file_path": "main.go"}),
	Use("Edit", in{"file_path": "main.go", "old_string": "hello", "new_string": "goodbye"}).Use("Bash", in{"command": "git commit -q -a -m bye", "description": "Commit"}),
	Say("Committed."),
	Use("Bash", in{"command": "make it", "description": "Make"}),
	Say("This never ends").Hold(),
	Say("Hello to the world."),
	Use("Bash", in{"command": "sleep 2", "description": "Wait"}),
	Say("Both are done."),
	Say("Read what was pasted."),
	Use("Bash", in{"command": "sleep 1 && git status", "description": "Serve", "run_in_background": true}),
	Say("The server is running."),
	Say("The server has ended."),
	Say("You said ready."),
	Say("A summary. <save_memory>from a summary</save_memory>"),
	Say("After the summary."),
	Say("A fresh start."),
	Say("Resumed."),
	Say("Forked."),
}}

func (l *lab) typeAll() []string {
	const first = "00000000-0000-4000-8000-00000000beef"
	term := l.terminal("--session-id", first)
	enter(term, "Say one")
	l.until("Stop", 1)
	enter(term, "Say goodbye instead")
	l.until("Stop", 2)
	enter(term, "Make it")
	term.AwaitWords("Do you want to proceed?", "Esc to cancel")
	term.Type("\x1b")
	term.AwaitWords("Interrupted")
	enter(term, "Go on forever")
	term.AwaitWords("This never ends")
	term.Type("\x1b")
	term.AwaitWords("Interrupted")
	enter(term, "/greet the world")
	l.until("Stop", 3)
	enter(term, "Wait a while")
	term.AwaitWords("sleep 2")
	enter(term, "And this too")
	l.until("Stop", 4)
	term.Type("\x1b[200~" + strings.Repeat("a pasted line\n", 30) + "\x1b[201~")
	term.AwaitWords("Pasted text")
	add(term, " read this")
	l.until("Stop", 5)
	enter(term, "Start the server")
	l.until("Stop", 7) // the second is for the end of the server
	term.Type("!")
	term.AwaitWords("! for")
	add(term, "echo ready")
	l.until("Stop", 8)
	enter(term, "/compact")
	l.until("PostCompact", 1)
	term.AwaitWords("Compacted")
	enter(term, "After the summary?")
	l.until("Stop", 9)
	enter(term, "/clear")
	l.until("SessionEnd", 1)
	l.until("SessionStart", 3)
	enter(term, "A fresh start?")
	l.until("Stop", 10)
	enter(term, "/exit")
	term.Ended()
	term = l.terminal("--resume", first)
	enter(term, "Resume")
	l.until("Stop", 11)
	l.written("Resumed.")
	enter(term, "/exit")
	term.Ended()
	term = l.terminal("--resume", first, "--fork-session")
	enter(term, "Fork")
	l.until("Stop", 12)
	l.written("Forked.")
	enter(term, "/exit")
	term.Ended()
	return []string{"terminal", "terminal-cleared", "terminal-fork"}
}

// TestE2ETranscripts has the real CLI hold sessions in print mode and at a
// terminal. With -update its session files become recordings; without, they
// must contain what was recorded, so that a change of the format is noticed.
func TestE2ETranscripts(t *testing.T) {
	for name, c := range map[string]struct {
		script Script
		do     func(*lab) []string
	}{
		"print":    {printed, (*lab).printAll},
		"terminal": {typedIn, (*lab).typeAll},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c.script)
			names := c.do(l)
			l.onlyAppended()
			there, stops := l.atStop()
			t.Logf("at %d of %d stops the last message stood in the file", there, stops)
			files := l.transcripts()
			if len(files) != len(names) {
				t.Fatalf("%d files %q, want %q", len(files), files, names)
			}
			const gap = "\n\x00\n" // ids and times are made up for all files together
			var all []byte
			for _, file := range files {
				all = append(append(all, l.read(file)...), gap...)
			}
			all = sameClock(neutral(bytes.Clone(all), l.root, l.home, l.project), all)
			for i, got := range bytes.Split(bytes.TrimSuffix(all, []byte(gap)), []byte(gap)) {
				l.compare(names[i], got)
			}
		})
	}
}

// compare holds a file to the recording of that name, or makes it that.
func (l *lab) compare(name string, got []byte) {
	path := filepath.Join(recordings, "transcripts", name+".jsonl")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			l.t.Fatal(err)
		}
		return
	}
	want := l.read(path)
	if g, w := told(got), told(want); !slices.Equal(g, w) {
		l.t.Errorf("%s tells\n%s\nwant\n%s", name, strings.Join(g, "\n"), strings.Join(w, "\n"))
	}
}

// told returns the events of a transcript, in the order of their times. The CLI
// writes the end of a refused call and the interruption of the turn at the same
// moment, in either order.
func told(file []byte) (lines []string) {
	d := claude.New().(agent.Transcriber).Transcript()
	events := append(d.Feed(file), d.Close()...)
	slices.SortStableFunc(events, func(a, b agent.Event) int { return a.Time.Compare(b.Time) })
	for _, ev := range events {
		if line := agenttest.Brief(ev); line != "" {
			lines = append(lines, line)
		}
		if n := len(lines); n > 1 && strings.HasPrefix(lines[n-1], "ended ") && strings.Contains(lines[n-2], "cause=interrupted") {
			lines[n-2], lines[n-1] = lines[n-1], lines[n-2]
		}
	}
	return lines
}

// sameClock gives the neutral form of a file the times of the file itself,
// counted from one made-up morning on.
func sameClock(neutral, file []byte) []byte {
	stamp := regexp.MustCompile(`"timestamp":"([^"]*)"`)
	var times []time.Time
	var first time.Time
	for _, m := range stamp.FindAllSubmatch(file, -1) {
		at, err := time.Parse(time.RFC3339, string(m[1]))
		if err == nil && (first.IsZero() || at.Before(first)) {
			first = at
		}
		times = append(times, at)
	}
	base := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	i := 0
	return stamp.ReplaceAllFunc(neutral, func([]byte) []byte {
		at := times[i]
		i++
		return fmt.Appendf(nil, `"timestamp":%q`, base.Add(at.Sub(first)).Format("2006-01-02T15:04:05.000Z"))
	})
}
