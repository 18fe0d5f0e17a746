//go:build linux || darwin

package proc_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/internal/proc"
)

// late takes nothing until a file appears, and then takes its time.
type late struct {
	t     *testing.T
	file  string
	bytes int
}

func (l *late) Write(b []byte) (int, error) {
	if l.bytes == 0 {
		eventually(l.t, "the agent has ended its work", func() bool {
			_, err := os.Stat(l.file)
			return err == nil
		})
	}
	l.bytes += len(b)
	<-time.After(10 * time.Millisecond) // in all longer than drainSoft
	return len(b), nil
}

// TestASpooledAgentNeverWaitsAndLosesNothing checks that a spooled agent ends
// without a reader, and that its output, which is more than a pipe can hold,
// arrives complete.
func TestASpooledAgentNeverWaitsAndLosesNothing(t *testing.T) {
	to := &late{t: t, file: filepath.Join(t.TempDir(), "done")}
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", `head -c 8000000 /dev/zero; touch "$0"`, to.file}, Stdout: to, Spool: true,
	})
	wait(t, p)
	if to.bytes != 8_000_000 {
		t.Errorf("%d bytes came", to.bytes)
	}
}

func TestASpoolIsReadAsItGrows(t *testing.T) {
	out := newSink()
	goOn := filepath.Join(t.TempDir(), "go")
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", `echo first; until [ -e "$0" ]; do sleep 0.01; done; echo second`, goOn}, Stdout: out, Spool: true,
	})
	out.await(t, "first")
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	if out.String() != "first\nsecond\n" {
		t.Errorf("got %q", out)
	}
}

func TestASurvivorThatHoldsTheSpoolDoesNotDelayWait(t *testing.T) {
	out := newSink()
	p := start(t, proc.Spec{Argv: []string{"sh", "-c", "sleep 3003 & echo said"}, Stdout: out, Spool: true, Tag: tag(t)})
	wait(t, p)
	if out.String() != "said\n" {
		t.Errorf("got %q", out)
	}
}
