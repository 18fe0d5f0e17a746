package proc_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/internal/proc"
)

// A chain: each process starts the next one and is gone, faster than /proc can
// be read. Only killing the process group as a whole gets hold of it.
func TestEndBreaksAForkChain(t *testing.T) {
	tag, link := tag(t), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(link, []byte("#!/bin/sh\ntrap '' TERM\n\"$0\" &\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := start(t, proc.Spec{Argv: []string{link}, Tag: tag, Grace: 50 * time.Millisecond})
	wait(t, p)
	p.End(t.Context())
	for range 20 {
		if proc.Alive(tag) {
			t.Fatal("the chain goes on")
		}
	}
}
