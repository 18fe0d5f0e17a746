package app

import (
	"strings"
	"testing"
	"time"

	"agentflow/executor/progress"
)

// The live line is never drawn over a line of the agent's that has not ended.
func TestLiveLineLeavesTheAgentsLineAlone(t *testing.T) {
	var screen strings.Builder
	l := &liveLine{state: progress.New("scripted", "", time.Now()), out: &screen, before: "\r\x1b[2K"}
	stop := l.run()
	agent, file := l.beside(&screen, true), l.beside(new(strings.Builder), false)
	write := func(w interface{ Write([]byte) (int, error) }, text string) {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		l.draw()
		l.mu.Unlock()
	}
	write(agent, "half a line")
	if got := screen.String(); got != "half a line" {
		t.Errorf("the screen got %q: the line was drawn over the agent's", got)
	}
	write(agent, ", whole\n")
	if got := screen.String(); !strings.HasPrefix(got, "half a line, whole\n\r\x1b[2K") {
		t.Errorf("the screen got %q: no line after the agent's", got)
	}
	write(file, "half a line in a file")
	if l.within {
		t.Error("a file's line counts as the terminal's")
	}
	write(agent, "the end")
	stop()
	if got := screen.String(); !strings.HasSuffix(got, "the end\n") {
		t.Errorf("the screen ends with %q", got[max(0, len(got)-30):])
	}
}
