package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkTeam measures a search and a write through a team's server. Its
// remote, a folder, holds the 10,000 entries of a colleague's clone. The server answers a write
// when it is on the remote. Start is the time until the server answers, without an index.
func BenchmarkTeam(b *testing.B) {
	w := newTeamLab(b)
	clone := w.In(b.TempDir())
	clone.Git("clone", "-q", w.remote, ".")
	clone.Fill(10_000)
	clone.Agentflow("share", "--what", "entries", "--yes")
	began := time.Now()
	s, err := w.start()
	if err != nil {
		b.Fatal(err)
	}
	defer s.kill()
	start := time.Since(began)
	t := &balancer{token: w.token, servers: []*teamServer{s}}
	random := rand.New(rand.NewPCG(5, 6))
	search := func() time.Duration {
		began := time.Now()
		if _, err := t.finds(context.Background(), sentence(random, 4)); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for range 5 {
		search()
	}
	var searches, writes []time.Duration
	n := 0
	for b.Loop() {
		for range 5 {
			searches = append(searches, search())
		}
		began := time.Now()
		if err := t.store(context.Background(), fmt.Sprintf("Rule %d of the benchmark holds.", n)); err != nil {
			b.Fatal(err)
		}
		writes = append(writes, time.Since(began))
		n++
	}
	b.ReportMetric(start.Seconds(), "start-s")
	report(b, "search", searches)
	report(b, "write", writes)
}
