// Package agenttest tests the contract of package agent, which every agent must
// fulfil.
package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
)

// Contract tests an agent's contract. outputs has output, by name, that the
// agent understands.
func Contract(t *testing.T, a agent.Agent, outputs map[string][]byte) {
	contractCommand(t, a)
	for name, output := range outputs {
		t.Run(name, func(t *testing.T) {
			for _, ev := range contractDecoder(t, a, output) {
				if ev.Kind == agent.Asked {
					t.Errorf("a prompt in a run's output: %+v", ev)
				}
			}
		})
	}
	contractJunk(t, a)
}

// Transcript tests the contract of an agent that reads its session files. files
// has such files by name.
func Transcript(t *testing.T, a agent.Transcriber, files map[string][]byte) {
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			for _, ev := range contractDecoder(t, Reader{a}, file) {
				switch {
				case ev.Time.IsZero() && ev.Kind != agent.Activity:
					t.Errorf("no time: %+v", ev)
				case ev.Kind == agent.Asked && (ev.Text == "" || ev.Call == ""):
					t.Errorf("a prompt without a text or an id: %+v", ev)
				case ev.Kind == agent.Said && ev.More:
					t.Errorf("half a message: %+v", ev)
				}
			}
		})
	}
	contractJunk(t, Reader{a})
}

// Decoding decodes an agent's output or its transcripts.
type Decoding interface{ Decoder() agent.Decoder }

// Reader decodes an agent's transcripts.
type Reader struct{ agent.Transcriber }

// Decoder returns a fresh decoder of a transcript.
func (r Reader) Decoder() agent.Decoder { return r.Transcript() }

func contractCommand(t *testing.T, a agent.Agent) {
	if a.Name() == "" {
		t.Error("no name")
	}
	args := make([]string, 1, 8)
	args[0] = "--extra"
	prompt := "do it; $(no shell)\n\xff -p"
	for range 2 {
		cmd, err := a.Command(agent.Request{Prompt: prompt, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if len(cmd.Argv) == 0 || cmd.Argv[0] == "" {
			t.Error("no program")
		}
		if strings.TrimSuffix(string(cmd.Stdin), "\n") != strings.TrimSuffix(prompt, "\n") {
			t.Errorf("standard input %q: the prompt must come whole", cmd.Stdin)
		}
		if strings.Contains(strings.Join(cmd.Argv, " "), "do it") {
			t.Errorf("the prompt is in the arguments %q", cmd.Argv)
		}
		if cmd.Argv[len(cmd.Argv)-1] != "--extra" {
			t.Errorf("arguments %q do not end with the user's", cmd.Argv)
		}
	}
	if !reflect.DeepEqual(args[:cap(args)][1:], make([]string, 7)) {
		t.Error("the request's arguments were written to")
	}
}

// contractDecoder checks that the events do not depend on how the output is
// split, and returns them.
func contractDecoder(t *testing.T, a Decoding, output []byte) []agent.Event {
	whole := Decode(a, output, len(output)+1)
	if len(output) > 0 && len(whole) == 0 {
		t.Fatal("output without an event")
	}
	for _, size := range []int{1, 2, 7, 1000} {
		if got := Decode(a, output, size); !reflect.DeepEqual(got, whole) {
			t.Errorf("in pieces of %d:\n%+v\nwhole:\n%+v", size, got, whole)
		}
	}
	open := map[string]bool{}
	for _, ev := range whole {
		switch ev.Kind {
		case agent.ToolStarted:
			open[ev.Call] = true
		case agent.ToolEnded:
			if !open[ev.Call] {
				t.Errorf("call %q ended and never started", ev.Call)
			}
		case agent.Session, agent.Asked, agent.Planned, agent.Said, agent.Given, agent.Usage, agent.Denied, agent.Left, agent.Result, agent.Retry, agent.Activity:
		default:
			t.Errorf("an event of the kind %q, which is no agent's", ev.Kind)
		}
	}
	d := a.Decoder()
	d.Feed(output)
	d.Close()
	if again := d.Close(); len(again) > 0 {
		t.Errorf("a second Close gave %+v", again)
	}
	return whole
}

// contractJunk checks that a decoder accepts any bytes.
func contractJunk(t *testing.T, a Decoding) {
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "{}[]\"\n\\:,atype\xff\x00"
	for range 50 {
		junk := make([]byte, random.IntN(4000))
		for i := range junk {
			junk[i] = letters[random.IntN(len(letters))]
		}
		Decode(a, junk, 100)
	}
}

// Decode returns the events of a stream, and joins the pieces of a message.
func Decode(a Decoding, output []byte, size int) []agent.Event {
	d := a.Decoder()
	var events []agent.Event
	take := func(list []agent.Event) {
		for _, ev := range list {
			if n := len(events); n > 0 && ev.Kind == agent.Said && events[n-1].Kind == agent.Said && events[n-1].More {
				events[n-1].Text += ev.Text
				events[n-1].More = ev.More
				continue
			}
			events = append(events, ev)
		}
	}
	for piece := range slices.Chunk(bytes.Clone(output), size) {
		take(d.Feed(piece))
		clear(piece) // a decoder must not keep its input
	}
	take(d.Close())
	return events
}

// Recordings returns the recorded output of the real Claude CLI by name. root
// is the path of the top of the repository.
func Recordings(t testing.TB, root string) map[string][]byte {
	t.Helper()
	return Recorded(t, root, "claude", ".jsonl")
}

// Transcripts returns recorded session files of the real Claude CLI by name.
func Transcripts(t testing.TB, root string) map[string][]byte {
	t.Helper()
	return Recorded(t, root, "claude/transcripts", ".jsonl")
}

// Recorded returns the files with an ending in a folder of testdata, by their
// names without the ending.
func Recorded(t testing.TB, root, folder, ending string) map[string][]byte {
	t.Helper()
	dir := filepath.Join(root, "testdata", filepath.FromSlash(folder))
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s, error %v", dir, err)
	}
	out := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ending)] = data
	}
	return out
}

// Fuzz feeds a decoder any input: the events do not depend on how it is split,
// every event can be stored, and end, a recorded line, has the same meaning
// after any input.
func Fuzz(f *testing.F, a Decoding, seeds map[string][]byte, end string) {
	for _, data := range seeds {
		f.Add(data[:min(len(data), 8000)], 10)
		for line := range bytes.Lines(data) {
			if len(line) < 2000 {
				f.Add(line, 7)
			}
		}
	}
	// meaning returns the part of the last event that depends only on the line.
	meaning := func(events []agent.Event) string {
		last := events[len(events)-1]
		return fmt.Sprint(last.Kind, last.Text, last.Tool, last.Call, last.Failed)
	}
	want := meaning(Decode(a, []byte(end), 50))
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, min(size, len(data)+1))
		whole := Decode(a, data, len(data)+1)
		if cut := Decode(a, data, size); !reflect.DeepEqual(cut, whole) {
			t.Errorf("in pieces of %d: %v, whole: %v", size, cut, whole)
		}
		after := Decode(a, slices.Concat(data, []byte("\n"+end+"\n")), 50)
		if got := meaning(after); got != want {
			t.Errorf("at the end %s, want %s", got, want)
		}
		for _, ev := range whole {
			if _, err := json.Marshal(ev); err != nil {
				t.Error(fmt.Errorf("%+v: %w", ev, err))
			}
		}
	})
}
