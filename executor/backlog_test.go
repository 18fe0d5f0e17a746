package executor

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/memory"
)

// endReader is a writer that reports when it has received the end of the output.
type endReader struct {
	end  string
	came chan struct{}
	mu   sync.Mutex
	last []byte
}

func (w *endReader) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, p...)
	w.last = w.last[max(0, len(w.last)-len(w.end)-2):]
	if bytes.Contains(w.last, []byte(w.end)) {
		select {
		case <-w.came:
		default:
			close(w.came)
		}
	}
	return len(p), nil
}

// loud prints more than a pipe holds.
const loud = `i=0; while [ $i -lt 40 ]; do head -c 50000 /dev/zero | tr '\0' x; echo; i=$((i+1)); done; echo SECRETlast; echo the end`

// TestTheAgentDoesNotWaitForRedaction: nothing is redacted until the reader of
// the output has seen all of it; then all is kept.
func TestTheAgentDoesNotWaitForRedaction(t *testing.T) {
	l := newLab(t)
	reader := &endReader{end: "the end", came: make(chan struct{})}
	l.deps.AgentOut = reader
	redact := l.deps.Redact
	l.deps.Redact = func(text string) string {
		if strings.Contains(text, "xxx") {
			select {
			case <-reader.came:
			case <-time.After(time.Minute):
				t.Error("the output waits for redaction")
			}
		}
		return redact(text)
	}
	rec := l.run(t, Request{Task: "x", Agent: sh(t, loud)})
	events, damaged := storedEvents(t, filepath.Join(rec.Dir, runfolder.EventsFile))
	var said strings.Builder
	for _, ev := range events {
		said.WriteString(ev.Text)
	}
	if rec.Outcome != memory.OutcomeOK || damaged > 0 || said.Len() < 40*50_000 || !strings.HasSuffix(said.String(), "***\nthe end\n") {
		t.Errorf("outcome %v, %d damaged, %d bytes are kept", rec.Outcome, damaged, said.Len())
	}
}

// TestHurryDropsWhatIsNotRedacted: the end of a run waits for redaction and reports that. A
// second Ctrl-C ends the wait. Text that was not redacted is not stored.
func TestHurryDropsWhatIsNotRedacted(t *testing.T) {
	l := newLab(t)
	hurry := make(chan struct{})
	l.deps.Hurry = hurry
	var once sync.Once
	l.deps.Sink = func(ev agent.Event) {
		if ev.Kind == EventRemark && strings.Contains(ev.Text, "secrets are still being taken out") {
			once.Do(func() { close(hurry) })
		}
	}
	redact := l.deps.Redact
	l.deps.Redact = func(text string) string {
		if strings.Contains(text, "xxx") {
			<-hurry
		}
		return redact(text)
	}
	rec := l.run(t, Request{Task: "x", Agent: sh(t, loud)})
	if remarks := strings.Join(rec.Entry.Remarks, "\n"); rec.Outcome != memory.OutcomeOK || !strings.Contains(remarks, "are not kept: they were not redacted yet") {
		t.Errorf("outcome %v, remarks %q", rec.Outcome, remarks)
	}
	err := filepath.WalkDir(l.deps.RunsDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte("SECRET")) {
			t.Errorf("%s holds a secret", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestABacklogIsBoundedAndInOrder(t *testing.T) {
	goOn := make(chan struct{})
	var got []string
	b := newBacklog(func(ev agent.Event) {
		<-goOn
		got = append(got, ev.Text[:3])
	})
	var want []string
	full := make(chan struct{})
	go func() {
		defer close(full)
		for n := range 60 {
			text := string([]byte{'a' + byte(n/20), 'a' + byte(n%20), '.'})
			want = append(want, text)
			b.put(agent.Event{Text: text + strings.Repeat("x", 1<<20)})
		}
	}()
	for waits := false; !waits; {
		b.mu.Lock()
		waits = b.bytes > maxBacklog
		if b.bytes > maxBacklog+2<<20 {
			t.Fatalf("%d bytes", b.bytes)
		}
		b.mu.Unlock()
	}
	if b.idle() || !b.waits() {
		t.Error("a full backlog is idle")
	}
	close(goOn)
	<-full
	if dropped := b.close(nil, func(int) {}); dropped > 0 || !slices.Equal(got, want) {
		t.Errorf("%d dropped, got %q", dropped, got)
	}
	if !b.idle() {
		t.Error("a backlog that is worked off is not idle")
	}
}
