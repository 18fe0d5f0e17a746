package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func closed(t *testing.T, l *jobLogger) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Lines are redacted as a whole, even if they arrive in parts.
func TestJobLogRedacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	l := newJobLogger(path, func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }, "task")
	for _, part := range []string{"the pass", "word is hun", "ter2\nand ", "then\nhint: try again\n", "hunter2, to end"} {
		fmt.Fprint(l, part)
	}
	if last := l.lastLine(); last != "and then" {
		t.Errorf("last line %q", last)
	}
	closed(t, l)
	text := readText(t, path)
	if _, body, _ := strings.Cut(text, " task\n"); body != "the password is ***\nand then\nhint: try again\n***, to end" || !strings.HasPrefix(text, "== 20") {
		t.Errorf("%q", text)
	}
}

// The logs stay small for any amount of output, in lines or not, and hold its end.
func TestJobLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	for _, end := range []string{"\n", ""} {
		l := newJobLogger(path, func(s string) string { return s }, "task")
		for n := range 2000 {
			fmt.Fprintf(l, "%04d%s%s", n, strings.Repeat("x", 2000), end)
		}
		fmt.Fprint(l, "the end")
		closed(t, l)
		if text := readText(t, path); len(text) > keepJobLog || !strings.HasSuffix(text, "the end") {
			t.Errorf("%d bytes, ends with %q", len(text), text[max(0, len(text)-20):])
		}
		if text := readText(t, path+".1"); len(text) > keepJobLog {
			t.Errorf("%d bytes before", len(text))
		}
	}
}

// A log that cannot be written still accepts output, and Close reports the error.
func TestJobLogThatCannotBeWritten(t *testing.T) {
	l := newJobLogger(filepath.Join(t.TempDir(), "no", "a.log"), func(s string) string { return s }, "task")
	if n, err := fmt.Fprint(l, "something\n"); n != 10 || err != nil {
		t.Error(n, err)
	}
	if l.lastLine() != "something" {
		t.Error(l.lastLine())
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "writing the log of the job") {
		t.Error(err)
	}
}
