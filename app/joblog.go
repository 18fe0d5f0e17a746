package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// keepJobLog is how many bytes a job's log may have. Beyond it starts anew,
// with the one before beside it.
const keepJobLog = 512 << 10

// maxJobLine is where a line without an end is cut, in bytes.
const maxJobLine = 64 << 10

// jobLogger writes the output of a job into its log, whole lines at a time and
// redacted, and remembers the last one. It is safe for concurrent use. It
// never fails: a log that cannot be written must not end the job; Close says
// why not.
type jobLogger struct {
	path   string
	redact func(string) string

	mu   sync.Mutex
	line []byte // begun
	last string
	size int64
	file *os.File
	err  error
}

// newJobLogger opens the log for one more run, said by title.
func newJobLogger(path string, redact func(string) string, title string) *jobLogger {
	l := &jobLogger{path: path, redact: redact}
	l.open()
	l.put("== " + time.Now().Format(time.RFC3339) + " " + title + "\n")
	return l
}

func (l *jobLogger) open() {
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		l.file, l.err = nil, errors.Join(l.err, err)
		return
	}
	l.file, l.size = file, 0
	if info, err := file.Stat(); err == nil {
		l.size = info.Size()
	}
}

// Write takes the next bytes, cut anywhere.
func (l *jobLogger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p...)
	end := bytes.LastIndexByte(l.line, '\n') + 1
	if end == 0 && len(l.line) > maxJobLine {
		end = len(l.line)
	}
	l.take(string(l.line[:end]))
	l.line = append(l.line[:0], l.line[end:]...)
	return len(p), nil
}

// take redacts whole lines and keeps them.
func (l *jobLogger) take(text string) {
	if text == "" {
		return
	}
	text = l.redact(text)
	for line := range strings.Lines(text) {
		if line = cleanLine(strings.TrimSpace(line)); line != "" && !strings.HasPrefix(line, "hint: ") {
			l.last = line
		}
	}
	l.put(text)
}

func (l *jobLogger) put(text string) {
	if l.file == nil {
		return
	}
	if l.size > 0 && l.size+int64(len(text)) > keepJobLog {
		l.err = errors.Join(l.err, l.file.Close(), os.Rename(l.path, l.path+".1"))
		if l.open(); l.file == nil {
			return
		}
	}
	n, err := l.file.WriteString(text)
	l.size += int64(n)
	if err != nil {
		l.err = errors.Join(l.err, err, l.file.Close())
		l.file = nil
	}
}

// lastLine is the last thing the job said, hints left out.
func (l *jobLogger) lastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Close ends the log.
func (l *jobLogger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(string(l.line))
	l.line = nil
	if l.file != nil {
		l.err = errors.Join(l.err, l.file.Close())
		l.file = nil
	}
	if l.err != nil {
		return fmt.Errorf("writing the log of the job: %w", l.err)
	}
	return nil
}
