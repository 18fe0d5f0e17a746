package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// The memory that watching is measured with: a chunk an entry, 50 entries a
// daily file.
const (
	watchedEntries = 100_000
	watchedFiles   = 2000
)

// watchProcess is a running agentflow watch.
type watchProcess struct {
	b     *testing.B
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// startWatch returns when the index is up to date.
func startWatch(b *testing.B, l *lab) *watchProcess {
	b.Helper()
	w := &watchProcess{b: b, cmd: l.Command("watch")}
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.cmd.Process.Kill() })
	w.lines = bufio.NewScanner(stderr)
	w.says("watching")
	return w
}

// says reads up to a line with text.
func (w *watchProcess) says(text string) {
	w.b.Helper()
	for w.lines.Scan() {
		if strings.Contains(w.lines.Text(), text) {
			return
		}
		w.b.Log(w.lines.Text())
	}
	w.b.Fatalf("the watcher ended without %q", text)
}

func (w *watchProcess) stop() {
	w.b.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.b.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		w.b.Fatalf("agentflow watch: %v", err)
	}
}

// resident reads a figure of a process's memory, in MB.
func resident(b *testing.B, pid int, what string) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		var kb float64
		if n, _ := fmt.Sscanf(line, what+": %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	b.Fatalf("no %s of process %d", what, pid)
	return 0
}

// emptyProgram returns the memory of a Go program that does nothing, in MB.
func emptyProgram(b *testing.B) float64 {
	b.Helper()
	dir := b.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "empty")
	text := "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.Stdout.WriteString(\"x\")\n\tos.Stdin.Read(make([]byte, 1))\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	rss := resident(b, cmd.Process.Pid, "VmRSS")
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return rss
}

// note returns one day's file with an entry about word at its end.
func note(b *testing.B, day []byte, word string) []byte {
	b.Helper()
	id, err := memory.NewID(time.Now(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	e := memory.Entry{ID: id, Kind: memory.KindRun, Time: time.Now(), Agent: "claude", Task: "Look for " + word, Summary: "There was " + word + ".",
		Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second}}
	e.Title = memory.Title(e.Task)
	return append(slices.Clone(day), markdown.Format(e)...)
}

// newestDay returns the last daily file of a lab.
func (l *lab) newestDay() (path string, text []byte) {
	l.T.Helper()
	files, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/memory/[0-9]*.md"))
	if err != nil || len(files) == 0 {
		l.T.Fatal(len(files), err)
	}
	path = slices.Max(files)
	if text, err = os.ReadFile(path); err != nil {
		l.T.Fatal(err)
	}
	return path, text
}

// BenchmarkWatchMemory measures the memory of a watcher of 100,000 chunks
// after some saves: with an existing index, and after it has built one;
// peak is the largest value.
func BenchmarkWatchMemory(b *testing.B) {
	l := newLab(b, "")
	l.fill(watchedEntries, watchedFiles)
	l.Agentflow("status") // takes the files up into the log, as the runs that wrote them would have
	measure := func(b *testing.B, before func()) {
		var now, peak []float64
		for b.Loop() {
			before()
			w := startWatch(b, l)
			path, text := l.newestDay()
			for i := range 5 {
				l.Write(path, string(note(b, text, fmt.Sprintf("okapi%d", i))))
				w.says("indexed 1")
			}
			l.Write(path, string(text))
			w.says("indexed 1")
			now, peak = append(now, resident(b, w.cmd.Process.Pid, "VmRSS")), append(peak, resident(b, w.cmd.Process.Pid, "VmHWM"))
			w.stop()
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(now), "rss-MB")
		b.ReportMetric(median(peak), "peak-MB")
		b.ReportMetric(emptyProgram(b), "empty-MB")
	}
	b.Run("building", func(b *testing.B) {
		measure(b, func() {
			if err := os.RemoveAll(filepath.Join(l.Repo, ".agentflow/state")); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("ready", func(b *testing.B) { measure(b, func() {}) })
}

// BenchmarkWatchLatency measures how long after a save and the debounce one changed
// entry of 100,000 is found by a search that does not update the index
// itself. An iteration is one save: -benchtime 200x.
func BenchmarkWatchLatency(b *testing.B) {
	l := newLab(b, "")
	l.fill(watchedEntries, watchedFiles)
	w := startWatch(b, l)
	defer w.stop()
	go func() {
		for w.lines.Scan() {
		}
	}()
	db, err := index.Open(b.Context(), filepath.Join(l.Repo, ".agentflow/state/index.db"), index.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	const debounce = 300 * time.Millisecond
	path, text := l.newestDay()
	var late []float64
	for b.Loop() {
		word := fmt.Sprintf("okapi%dx", len(late))
		l.Write(path, string(note(b, text, word)))
		saved := time.Now()
		untilFound(b, db, word)
		late = append(late, float64(time.Since(saved)-debounce)/float64(time.Millisecond))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(late), "median-ms") // sorts
	b.ReportMetric(late[len(late)*95/100], "p95-ms")
}

func untilFound(b *testing.B, db *index.DB, word string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		hits, err := db.Search(ctx, retrieval.Query{Text: word, Limit: 1, Now: time.Now()})
		if err != nil {
			b.Fatal(err)
		}
		if len(hits) > 0 {
			return
		}
		<-look.C
	}
}
