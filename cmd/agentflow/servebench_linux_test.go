package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkServeStart measures the time from the start of serve until it listens.
func BenchmarkServeStart(b *testing.B) {
	l := newLab(b, "")
	l.fill(1000, 50)
	l.Agentflow("index")
	var times []time.Duration
	for b.Loop() {
		s := l.serving()
		times = append(times, s.started)
		s.kill()
	}
	report(b, "start", times)
}

// BenchmarkServeSearch compares a warm search over HTTP in 10,000 entries with
// one by the command, for the same words in turn.
func BenchmarkServeSearch(b *testing.B) {
	l := newLab(b, "")
	l.fill(10_000, 200)
	l.Agentflow("index")
	s := l.serving()
	defer s.kill()
	random := rand.New(rand.NewPCG(3, 4))
	var over, command []time.Duration
	search := func(query string) time.Duration {
		began := time.Now()
		status, text, err := s.ask("POST", "/api/v1/memory/search", map[string]any{"query": query, "limit": 5})
		if err != nil || status != http.StatusOK {
			b.Fatalf("%d %s %v", status, text, err)
		}
		return time.Since(began)
	}
	for range 5 {
		search(sentence(random, 4))
	}
	for b.Loop() {
		for range 4 {
			over = append(over, search(sentence(random, 4)))
		}
		query := sentence(random, 4)
		over = append(over, search(query))
		command = append(command, wall(b, l.Command("search", "-n", "5", query)))
	}
	reportBeside(b, "http", over, command)
}

// BenchmarkServeCrowd lets sixteen programs search at once while two others
// write and one edits files, for AGENTFLOW_CROWD (a duration; 5s).
func BenchmarkServeCrowd(b *testing.B) {
	length := 5 * time.Second
	if text := os.Getenv("AGENTFLOW_CROWD"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			b.Fatal(err)
		}
	}
	l := newLab(b, "")
	l.fill(10_000, 200)
	l.Agentflow("index")
	s := l.serving()
	defer s.kill()
	for b.Loop() {
		s.crowd(b, length)
	}
}

func (s *served) crowd(b *testing.B, length time.Duration) {
	var done, failed, written atomic.Int64
	var mu sync.Mutex
	var times []time.Duration
	until := time.Now().Add(length)
	var all sync.WaitGroup
	client := func(request func(n int) (int, error), count *atomic.Int64) {
		all.Go(func() {
			for n := 0; time.Now().Before(until); n++ {
				began := time.Now()
				if status, err := request(n); err != nil || status != http.StatusOK {
					failed.Add(1)
					continue
				}
				count.Add(1)
				if count == &done {
					mu.Lock()
					times = append(times, time.Since(began))
					mu.Unlock()
				}
			}
		})
	}
	for c := range 16 {
		random := rand.New(rand.NewPCG(uint64(c), 5))
		client(func(int) (int, error) {
			status, _, err := s.ask("POST", "/api/v1/memory/search", map[string]any{"query": sentence(random, 4), "limit": 5})
			return status, err
		}, &done)
	}
	for w := range 2 {
		client(func(n int) (int, error) {
			status, _, err := s.ask("POST", "/api/v1/memory/facts", map[string]string{"text": fmt.Sprintf("Writer %d says %d at %d.", w, n, time.Now().UnixNano())})
			return status, err
		}, &written)
	}
	client(func(n int) (int, error) {
		s.l.Write(".agentflow/memory/hand.md", fmt.Sprintf("# By hand\n\nThe line %d.\n", n))
		time.Sleep(50 * time.Millisecond) // a person saves twenty times a second at most
		return http.StatusOK, nil
	}, new(atomic.Int64))
	first := s.resident()
	middle := make(chan int, 1)
	time.AfterFunc(length/2, func() { middle <- s.resident() })
	all.Wait()
	b.ReportMetric(float64(done.Load())/length.Seconds(), "searches/s")
	b.ReportMetric(float64(written.Load())/length.Seconds(), "writes/s")
	b.ReportMetric(float64(failed.Load()), "errors")
	b.ReportMetric(float64(first)/1024, "MB-at-first")
	b.ReportMetric(float64(<-middle)/1024, "MB-in-the-middle")
	b.ReportMetric(float64(s.resident())/1024, "MB-at-last")
	report(b, "search", times)
}

// resident returns how much memory the server uses, in KB.
func (s *served) resident() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}

// report gives the median and the 95th percentile of times, in ms.
func report(b *testing.B, name string, times []time.Duration) {
	b.Helper()
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, name+"-median-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, name+"-p95-ms")
}

// reportBeside reports the times of a door and of the whole command `agentflow search`,
// and the ratio of their medians.
func reportBeside(b *testing.B, name string, door, command []time.Duration) {
	b.Helper()
	report(b, name, door)
	report(b, "command", command)
	b.ReportMetric(door[len(door)/2].Seconds()/command[len(command)/2].Seconds(), "of-command")
}
