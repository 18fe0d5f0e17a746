package main

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkMCP measures how long `agentflow mcp` takes to answer
// initialize, and a memory_search of a running server, over 10,000 entries,
// against a whole `agentflow search` for the same words.
func BenchmarkMCP(b *testing.B) {
	l := newLab(b, "")
	l.fill(10_000, 2000)
	l.Agentflow("status")
	queries := []string{
		strings.Join([]string{words[600], words[1000], words[1500], words[2003]}, " "), "parsebb77 clock", strings.Join(words[:4], " "), words[700] + " " + words[1200],
	}
	l.Agentflow("search", queries[0])
	b.Run("start", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			start := time.Now()
			s := connectMCP(b, overStdio(l.Command("mcp")))
			took = append(took, time.Since(start))
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
		report(b, "start", took)
	})
	b.Run("search", func(b *testing.B) {
		s := connectMCP(b, overStdio(l.Command("mcp")))
		defer s.Close()
		var ours, whole []time.Duration
		for b.Loop() {
			for _, query := range queries {
				start := time.Now()
				res, err := s.CallTool(b.Context(), &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": query}})
				ours = append(ours, time.Since(start))
				if err != nil || res.IsError {
					b.Fatalf("%+v, %v", res, err)
				}
				start = time.Now()
				l.Agentflow("search", query)
				whole = append(whole, time.Since(start))
			}
		}
		reportBeside(b, "tool", ours, whole)
	})
}
