//go:build linux || darwin

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/proc"
)

func sh(script string) []string { return []string{"sh", "-c", script} }

func TestWaitTellsHowTheAgentEnded(t *testing.T) {
	for _, test := range []struct {
		script string
		want   proc.Exit
	}{
		{"exit 0", proc.Exit{}},
		{"exit 3", proc.Exit{Code: 3}},
		{"kill -KILL $$", proc.Exit{Code: 137, Signal: "SIGKILL"}},
		{"kill -TERM $$", proc.Exit{Code: 143, Signal: "SIGTERM"}},
	} {
		if got := wait(t, start(t, proc.Spec{Argv: sh(test.script)})); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.script, got, test.want)
		}
	}
}

func TestTheAgentGetsItsEnvironmentDirectoryAndTag(t *testing.T) {
	dir, out := t.TempDir(), newSink()
	p := start(t, proc.Spec{
		Argv: sh(`pwd -P; echo "$AGENTFLOW_RUN_ID $COLOUR"; env | grep -c AGENTFLOW_RUN_ID`), Dir: dir, Tag: "mine", Stdout: out,
		Env: []string{"PATH=" + os.Getenv("PATH"), "AGENTFLOW_RUN_ID=outer", "COLOUR=blue", "AGENTFLOW_RUN_ID=other"},
	})
	wait(t, p)
	if got, want := out.String(), dir+"\nmine blue\n1\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInput(t *testing.T) {
	large := bytes.Repeat([]byte("prompt\n"), 300_000) // 2.1 MB, far more than a pipe holds
	for _, test := range []struct {
		name, script, want string
		input              []byte
	}{
		{"all of it, then its end", "wc -c | tr -d ' '", "2100000\n", large},
		{"none given", "wc -c | tr -d ' '", "0\n", nil},
		{"never read", "echo unread", "unread\n", large},
		{"never read by a survivor either", "exec 3<&0; sleep 3001 <&3 & echo survived", "survived\n", large},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := newSink()
			p := start(t, proc.Spec{Argv: sh(test.script), Stdin: test.input, Stdout: out})
			if exit := wait(t, p); exit.Code != 0 || out.String() != test.want {
				t.Errorf("%+v %q", exit, out.String())
			}
		})
	}
}

func TestOutputsAreApart(t *testing.T) {
	out, errs := newSink(), newSink()
	wait(t, start(t, proc.Spec{Argv: sh("echo one; echo two >&2"), Stdout: out, Stderr: errs}))
	if out.String() != "one\n" || errs.String() != "two\n" {
		t.Errorf("%q %q", out.String(), errs.String())
	}
}

func TestSurvivorsThatHoldTheOutputDoNotDelayWait(t *testing.T) {
	for name, survivor := range map[string]string{"silent": "sleep 3002 & ", "flooding": "yes & "} {
		t.Run(name, func(t *testing.T) {
			// The agent's last words fill the pipe when it ends; all have to come.
			var bytes atomic.Int64
			var last atomic.Bool
			out := writerFunc(func(b []byte) (int, error) {
				bytes.Add(int64(len(b)))
				if strings.Contains(string(b), "the end") {
					last.Store(true)
				}
				return len(b), nil
			})
			p := start(t, proc.Spec{Argv: sh(survivor + "head -c 60000 /dev/zero; echo the end"), Stdout: out})
			wait(t, p)
			if !last.Load() {
				t.Errorf("the end is missing after %d bytes", bytes.Load())
			}
			p.End(t.Context())
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestASlowWriterGetsEverything checks that a slow writer still gets what the
// agent left in the pipe at its end.
func TestASlowWriterGetsEverything(t *testing.T) {
	release := make(chan struct{})
	var got atomic.Int64
	out := writerFunc(func(b []byte) (int, error) {
		<-release
		got.Add(int64(len(b)))
		return len(b), nil
	})
	p := start(t, proc.Spec{Argv: sh("head -c 65536 /dev/zero"), Stdout: out})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Wait did not wait for the writer: %v", err)
	}
	close(release)
	wait(t, p)
	if got.Load() != 65536 {
		t.Errorf("%d bytes", got.Load())
	}
}

func TestAFailingWriterDoesNotStopTheAgent(t *testing.T) {
	full := errors.New("disk full")
	out := writerFunc(func([]byte) (int, error) { return 0, full })
	p := start(t, proc.Spec{Argv: sh("head -c 1000000 /dev/zero && exit 4"), Stdout: out})
	if exit, err := p.Wait(t.Context()); exit.Code != 4 || !errors.Is(err, full) {
		t.Errorf("%+v %v", exit, err)
	}
}

func TestWaitCanBeGivenUpAndTakenUpAgain(t *testing.T) {
	p := start(t, proc.Spec{Argv: sh("sleep 3003"), Grace: time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// Not SIGINT: where the tests run in the background it is ignored.
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p); exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal after the end: %v", err)
	}
}

// TestSignalReachesTheProcessGroup checks that a forwarded signal reaches the
// agent's tools too, since they are in its process group. (SIGINT does not work
// here: sh makes its background jobs ignore it.)
func TestSignalReachesTheProcessGroup(t *testing.T) {
	out := newSink()
	p := start(t, proc.Spec{Argv: sh(`trap "echo agent; wait; exit 9" TERM
		sh -c 'trap "echo tool; exit" TERM; echo ready; while :; do sleep 0.01; done' & while :; do sleep 0.01; done`), Stdout: out})
	out.await(t, "ready")
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p); exit.Code != 9 || !strings.Contains(out.String(), "agent") || !strings.Contains(out.String(), "tool") {
		t.Errorf("%+v %q", exit, out.String())
	}
}

func TestMuchOutputIsNotHeld(t *testing.T) {
	argv, env := playing(t, "flood")
	var got int64
	var peak uint64
	var mem, before runtime.MemStats
	out := writerFunc(func(b []byte) (int, error) {
		if got += int64(len(b)); got%(16<<20) < int64(len(b)) {
			runtime.ReadMemStats(&mem)
			peak = max(peak, mem.HeapInuse)
		}
		return len(b), nil
	})
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	wait(t, start(t, proc.Spec{Argv: argv, Env: env, Stdout: out}))
	took := time.Since(began)
	runtime.ReadMemStats(&mem)
	grown, allocated := int64(peak)-int64(before.HeapInuse), mem.TotalAlloc-before.TotalAlloc
	t.Logf("%d MB in %v; heap grew by %d KiB, %d KiB were allocated in all", got>>20, took, grown>>10, allocated>>10)
	if got != floodBytes || grown > 4<<20 || allocated > 8<<20 {
		t.Errorf("%d bytes of %d", got, floodBytes)
	}
}
