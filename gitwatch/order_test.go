package gitwatch

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

const minute = time.Minute

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func fileTime(t testing.TB, path string) time.Time {
	t.Helper()
	info, err := os.Lstat(path)
	gittest.Must(t, err)
	return info.ModTime()
}
