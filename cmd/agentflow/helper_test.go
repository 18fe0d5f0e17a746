package main

import (
	"os"
	"strings"
	"sync"
	"testing"
)

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

const dearTask = `
[[schedule]]
name = "dear"
cron = "0 */6 * * *"
zone = "UTC"
task = "Spend"
max_cost = 0.6
max_cost_day = 1
`

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
