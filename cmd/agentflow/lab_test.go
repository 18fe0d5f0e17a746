package main

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/internal/testing/labtest"
)

// lab is a repository in a separate home, with a scripted agent as the
// default one.
type lab struct{ labtest.Lab }

func newLab(t testing.TB, script string) *lab {
	t.Helper()
	return &lab{*labtest.New(t, script)}
}

// number reads a number from the environment.
func number(t testing.TB, name string, fallback int) int {
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// seed returns the seed of random choices: AGENTFLOW_SEED repeats a test's choices.
func seed(t *testing.T) uint64 {
	seed := number(t, "AGENTFLOW_SEED", int(time.Now().UnixNano()%1_000_000))
	t.Logf("AGENTFLOW_SEED=%d", seed)
	return uint64(seed)
}

// killed ends a command with SIGKILL after a while, and reports whether the kill
// hit. Otherwise the command had ended well.
func (l *lab) killed(after time.Duration, args ...string) bool {
	l.T.Helper()
	cmd := l.Command(args...)
	if err := cmd.Start(); err != nil {
		l.T.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	return cmd.Wait() != nil
}

// upTo returns a random part of a time.
func upTo(random *rand.Rand, whole time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(whole)))
}

// copied returns a copy of the repository.
func (l *lab) copied(to string) *lab {
	l.T.Helper()
	if err := os.CopyFS(to, os.DirFS(l.Repo)); err != nil {
		l.T.Fatal(err)
	}
	return l.in(to)
}

// moments are the times that a command writes of itself.
var moments = regexp.MustCompile(` (created|updated)=[^ ]+`)

// in returns the lab with another folder as its repository.
func (l *lab) in(dir string) *lab { return &lab{*l.In(dir)} }

func (l *lab) status() (status api.Status) {
	l.T.Helper()
	l.JSON(&status, "status")
	return status
}

// of returns the lab for a subtest.
func (l *lab) of(t testing.TB) *lab {
	other := *l
	other.T = t
	return &other
}

// memoryFiles returns the contents of memory, by file, without times of change.
func (l *lab) memoryFiles() map[string]string {
	l.T.Helper()
	files := l.memoryBytes()
	for name, text := range files {
		files[name] = moments.ReplaceAllString(text, "")
	}
	return files
}

// memoryBytes returns the files of memory as they are, by name.
func (l *lab) memoryBytes() map[string]string {
	l.T.Helper()
	files := map[string]string{}
	root := os.DirFS(l.Path(".agentflow/memory"))
	for _, pattern := range []string{"*.md", "archive/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			l.T.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				l.T.Fatal(err)
			}
			files[name] = string(text)
		}
	}
	return files
}
