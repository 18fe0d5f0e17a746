package executor

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/recordings.txt anew")

// agents are all the implementations, each with output that it understands.
func agents(t *testing.T) map[string]struct {
	agent   Agent
	outputs map[string][]byte
} {
	t.Helper()
	named := func(name string, p Protocol) Agent {
		a, err := NewCommand(name, []string{"prog", "-x"}, p)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	texts := map[string][]byte{
		"empty": nil, "plain": []byte("one\ntwo\n\nthree"), "bytes": []byte("a\xffb\x00\xe6\x97"),
	}
	type impl = struct {
		agent   Agent
		outputs map[string][]byte
	}
	return map[string]impl{
		"claude":          {NewClaude(), recordings(t)},
		"claude path":     {NewClaude("/opt/claude", "--debug"), recordings(t)},
		"command":         {named("command", ProtocolText), texts},
		"named":           {named("codex", ""), texts},
		"named, claude's": {named("mine", ProtocolClaude), recordings(t)},
	}
}

// recordings are what the real CLI printed.
func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../testdata/claude/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings, error %v", err)
	}
	out := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ".jsonl")] = data
	}
	return out
}

// TestContract is what every agent has to keep.
func TestContract(t *testing.T) {
	for name, impl := range agents(t) {
		t.Run(name, func(t *testing.T) {
			contractCommand(t, impl.agent)
			for file, output := range impl.outputs {
				t.Run(file, func(t *testing.T) { contractDecoder(t, impl.agent, output) })
			}
			contractJunk(t, impl.agent)
		})
	}
}

func contractCommand(t *testing.T, a Agent) {
	if a.Name() == "" {
		t.Error("no name")
	}
	args := make([]string, 1, 8)
	args[0] = "--extra"
	prompt := "do it; $(no shell)\n\xff -p"
	for range 2 {
		cmd, err := a.Command(AgentRequest{Prompt: prompt, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if len(cmd.Argv) == 0 || cmd.Argv[0] == "" {
			t.Error("no program")
		}
		if string(cmd.Stdin) != prompt {
			t.Errorf("standard input %q: the prompt must come whole", cmd.Stdin)
		}
		if strings.Contains(strings.Join(cmd.Argv, " "), "do it") {
			t.Errorf("the prompt stands in the arguments %q", cmd.Argv)
		}
		if cmd.Argv[len(cmd.Argv)-1] != "--extra" {
			t.Errorf("arguments %q do not end with the user's", cmd.Argv)
		}
	}
	if !reflect.DeepEqual(args[:cap(args)][1:], make([]string, 7)) {
		t.Error("the request's arguments were written to")
	}
}

// contractDecoder: how the output is cut changes nothing.
func contractDecoder(t *testing.T, a Agent, output []byte) {
	whole := decode(a, output, len(output)+1)
	if len(output) > 0 && len(whole) == 0 {
		t.Fatal("output without an event")
	}
	for _, size := range []int{1, 2, 7, 1000} {
		if got := decode(a, output, size); !reflect.DeepEqual(got, whole) {
			t.Errorf("in pieces of %d:\n%+v\nwhole:\n%+v", size, got, whole)
		}
	}
	open := map[string]bool{}
	for _, ev := range whole {
		switch ev.Kind {
		case EventToolStarted:
			open[ev.Call] = true
		case EventToolEnded:
			if !open[ev.Call] {
				t.Errorf("call %q ended and never started", ev.Call)
			}
		case EventPhase, EventDegraded, EventSaved, EventRemark:
			t.Errorf("an agent told %q, which is ours", ev.Kind)
		}
	}
	d := a.Decoder()
	d.Feed(output)
	d.Close()
	if again := d.Close(); len(again) > 0 {
		t.Errorf("a second Close gave %+v", again)
	}
}

// contractJunk: any bytes are borne.
func contractJunk(t *testing.T, a Agent) {
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "{}[]\"\n\\:,atype\xff\x00"
	for range 50 {
		junk := make([]byte, random.IntN(4000))
		for i := range junk {
			junk[i] = letters[random.IntN(len(letters))]
		}
		decode(a, junk, 100)
	}
}

// decode returns a stream's events, a message's pieces put together.
func decode(a Agent, output []byte, size int) []Event {
	d := a.Decoder()
	var events []Event
	take := func(list []Event) {
		for _, ev := range list {
			if n := len(events); n > 0 && ev.Kind == EventSaid && events[n-1].Kind == EventSaid && events[n-1].More {
				events[n-1].Text += ev.Text
				events[n-1].More = ev.More
				continue
			}
			events = append(events, ev)
		}
	}
	for piece := range slices.Chunk(bytes.Clone(output), size) {
		take(d.Feed(piece))
		clear(piece) // a decoder must not keep what it was given
	}
	take(d.Close())
	return events
}

// TestRecordingsSayWhatHappened compares what the decoder makes of the
// recordings with testdata/recordings.txt, which people have read. Run with
// -update to write it anew.
func TestRecordingsSayWhatHappened(t *testing.T) {
	var got strings.Builder
	all := recordings(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&got, "-- %s --\n", name)
		for _, ev := range decode(NewClaude(), all[name], 100) {
			if line := brief(ev); line != "" {
				fmt.Fprintln(&got, line)
			}
		}
	}
	golden := filepath.Join("testdata", "recordings.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", &got, want)
	}
}

// brief is an event in a line, without what every recording has.
func brief(ev Event) string {
	text, _, _ := strings.Cut(ev.Text, "\n")
	switch ev.Kind {
	case EventSaid:
		return "said " + text
	case EventToolStarted:
		return fmt.Sprintf("tool %s %s %q writes=%v", ev.Tool, ev.Detail, ev.Paths, ev.Writes)
	case EventToolEnded:
		return fmt.Sprintf("ended failed=%v", ev.Failed)
	case EventDenied:
		return fmt.Sprintf("denied %s writes=%v", text, ev.Writes)
	case EventResult:
		line := fmt.Sprintf("result %q failed=%v turns=%d cost=%g", text, ev.Failed, ev.Turns, ev.CostUSD)
		if ev.Cause != "" {
			line += " cause=" + string(ev.Cause)
		}
		return line
	case EventRetry:
		return fmt.Sprintf("retry %s, %s", text, ev.Detail)
	}
	return ""
}
