package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/sessiontest"
)

// BenchmarkSessionHooks measures how long an agent waits for the hooks of its session,
// each as a whole process, against a hook that is `true`, in a repository of 80,000
// files with 10,000 entries.
func BenchmarkSessionHooks(b *testing.B) {
	l := newLab(b, "")
	l.fill(10_000, 2000)
	for dir := range 800 {
		for file := range 100 {
			l.Write(fmt.Sprintf("src/d%03d/f%02d.go", dir, file), "package a\n")
		}
	}
	l.Git("add", "src")
	l.Git("commit", "-qm", "files")
	l.Agentflow("status")
	l.Agentflow("search", words[1000])
	took := map[string][]time.Duration{}
	h := hooks{Lab: &l.Lab, took: took}
	for n := 0; b.Loop(); n++ {
		p := sessiontest.New(&l.Lab, h.run)
		p.Start("startup")
		h.settle(b)
		for i := range 3 {
			p.Turn(strings.Join([]string{words[600+n], words[1000+7*i], words[1500+n], "clock"}, " "), sessiontest.Say("Well."))
			h.settle(b)
		}
		p.End("other")
		h.settle(b)
		cmd := exec.Command("sh", "-c", "true")
		took["true"] = append(took["true"], wall(b, cmd))
	}
	b.ReportMetric(0, "ns/op")
	for name, list := range took {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2].Seconds()*1000, name+"-ms")
		b.ReportMetric(list[len(list)*95/100].Seconds()*1000, name+"-p95-ms")
	}
}

// hooks runs hooks as the CLI does, and times them.
type hooks struct {
	*labtest.Lab
	took map[string][]time.Duration
}

func (h hooks) run(env []string, stdin []byte) []byte {
	cmd := h.With(env...).Command("session", "hook", "--agent", "claude")
	cmd.Args = append([]string{"sh", "-c", `"$0" "$@"`}, cmd.Args...)
	cmd.Path = "/bin/sh"
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, io.Discard
	began := time.Now()
	if err := cmd.Run(); err != nil {
		h.T.Errorf("the hook: %v", err)
	}
	if h.took != nil {
		name := event(stdin)
		h.took[name] = append(h.took[name], time.Since(began))
	}
	return out.Bytes()
}

func event(stdin []byte) string {
	_, rest, _ := bytes.Cut(stdin, []byte(`"hook_event_name":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}

// settle waits until no process of the lab's home is at work.
func (h hooks) settle(t testing.TB) {
	t.Helper()
	h.Settle()
}
