package terminal

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func fixed(lines ...string) View {
	return func(time.Time, int, int) []string { return lines }
}

// TestLiveLeavesOpenLinesAlone checks that an unfinished line of another writer
// is never overwritten.
func TestLiveLeavesOpenLinesAlone(t *testing.T) {
	var screen strings.Builder
	l := &Live{out: &screen, view: fixed("line"), size: func() (int, int) { return 60, 6 }}
	agent := l.Wrap(&screen)
	write := func(text string) {
		if _, err := io.WriteString(agent, text); err != nil {
			t.Fatal(err)
		}
		l.draw()
	}
	write("half a line")
	if got := screen.String(); got != "half a line" {
		t.Errorf("the screen got %q: the agent's line was drawn over", got)
	}
	write(", whole\n")
	if got := screen.String(); got != "half a line, whole\nline" {
		t.Errorf("the screen got %q: no line after the agent's", got)
	}
	write("the end")
	if got := screen.String(); !strings.HasSuffix(got, "line\r\x1b[Jthe end") {
		t.Errorf("the screen got %q: the line stands before the agent's", got)
	}
}

func TestLiveEndsAnOpenLineWhenItHides(t *testing.T) {
	var screen strings.Builder
	l := New(&screen, true)
	hide := l.Show(fixed("line"))
	if other := l.Show(fixed("other")); other == nil {
		t.Fatal("no function hides a view that is not shown")
	}
	if _, err := io.WriteString(l.Wrap(&screen), "the end"); err != nil {
		t.Fatal(err)
	}
	hide()
	if got := screen.String(); got != "the end\n" {
		t.Errorf("the screen got %q", got)
	}
}

func TestLiveDrawsBelowWhatIsWritten(t *testing.T) {
	var out strings.Builder
	lines := []string{"one", "two", "three"}
	l := &Live{out: &out, size: func() (int, int) { return 60, 6 }, view: func(_ time.Time, columns, rows int) []string {
		return append(lines, fmt.Sprint(columns, rows))
	}}
	l.draw()
	l.draw() // nothing has changed
	if got, want := out.String(), "one\ntwo\nthree\n59 5"; got != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
	out.Reset()
	fmt.Fprintln(l.Wrap(&out), "written")
	if got, want := out.String(), "\r\x1b[A\x1b[A\x1b[A\x1b[Jwritten\n"; got != want {
		t.Errorf("a line beside it sent %q, want %q", got, want)
	}
}

func TestBarLine(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &Bar{What: "at", Began: began}
	if got := b.View(began, 80, 24); len(got) != 1 || got[0] != "at" {
		t.Errorf("%q before anything is known", got)
	}
	for want, c := range map[string]struct {
		step  Step
		after time.Duration
	}{
		"[--------------------] 0/3 files  0 %":                              {Step{0, 10, "bytes", "0/3 files"}, time.Second},
		"[##########----------] 812/2000 files  50 %  10.0 MB/s  30s left":   {Step{300e6, 600e6, "bytes", "812/2000 files"}, 30 * time.Second},
		"[####################] 1/1 files  100 %  5.0 MB/s  0s left":         {Step{5e6, 4e6, "bytes", "1/1 files"}, time.Second}, // the file grew
		"[####################] 0/0 files  100 %":                            {Step{0, 0, "bytes", "0/0 files"}, time.Second},
		"[#####---------------] 50/200 chunks  25 %  5.0 chunks/s  30s left": {Step{50, 200, "chunks", "50/200 chunks"}, 10 * time.Second},
	} {
		b.Set(c.step)
		if got := b.View(began.Add(c.after), 80, 24); len(got) != 1 || got[0] != "at "+want {
			t.Errorf("%q\nwant %s", got, want)
		}
	}
}
