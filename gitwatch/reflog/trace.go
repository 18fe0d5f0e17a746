package reflog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"
)

// TraceFile names a run's file in which git logs the references that the run moves. If
// it does not exist, git was not asked to.
const TraceFile = "refs.log"

// ReadTrace reads the moves of a run in the order they were logged. wrote is false if the file does
// not exist, or no git wrote to it.
func ReadTrace(dir string) (moves []Move, wrote bool, err error) {
	f, err := safefile.Open(filepath.Join(dir, TraceFile), safefile.NoLink)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read ref trace: %w", err)
	}
	defer f.Close()
	moves, wrote, err = parseTrace(f)
	if err != nil {
		return nil, wrote, fmt.Errorf("read ref trace %s: %w", f.Name(), err)
	}
	return moves, wrote, nil
}

// maxLogLine limits the bytes of a line of the trace. A longer one is skipped. A ref name and a
// reflog message are far shorter.
const maxLogLine = 64 << 10

// parseTrace reads git's ref trace (git(1), GIT_TRACE_REFS; written by refs/debug.c). Several
// processes append to it, and a killed one may leave half a line, so a line counts only if it is
// complete.
func parseTrace(in io.Reader) (moves []Move, wrote bool, err error) {
	r := bufio.NewReaderSize(in, maxLogLine)
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			line = nil
		case errors.Is(err, io.EOF):
			return moves, wrote || len(line) > 0, nil // an unfinished line is not complete
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return moves, wrote, err
		}
		wrote = true
		if m, ok := parseMove(strings.TrimSuffix(string(line), "\n")); ok {
			moves = append(moves, m)
		}
	}
}

// moveLine matches a line of the trace such as
//
//	04:42:12.905108 refs/debug.c:71         0: HEAD OLD -> NEW (F=0x5, T=0x1) "commit: subject"
var moveLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{6} refs/debug\.c:\d+ +\d+: ([^ ]+) ([0-9a-f]+) -> ([0-9a-f]+) \(F=0x[0-9a-f]+, T=0x[0-9a-f]+\) "(.*)"$`)
})

// switchLine matches a line of the trace such as
//
//	04:42:12.905108 refs/debug.c:139        create_symref: HEAD -> refs/heads/topic "checkout: moving from main to topic": 0
var switchLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{6} refs/debug\.c:\d+ +create_symref: HEAD -> refs/heads/[^ ]+ "(checkout: moving from .*)": 0$`)
})

// parseMove reads a line of the trace. A switch of branches has no ids.
func parseMove(line string) (Move, bool) {
	if found := switchLine().FindStringSubmatch(line); found != nil {
		return Move{Ref: "HEAD", Message: found[1]}, true
	}
	found := moveLine().FindStringSubmatch(line)
	if found == nil || len(found[2]) != len(found[3]) {
		return Move{}, false
	}
	from, okFrom := git.ParseID(found[2])
	to, okTo := git.ParseID(found[3])
	return Move{Ref: found[1], Old: from, New: to, Message: found[4]}, okFrom && okTo
}

// Unfinished reports whether the trace in dir ends within a transaction of git. References may then
// have been moved without a line about it. A transaction that failed looks the same.
func Unfinished(dir string) bool {
	data, err := safefile.Read(filepath.Join(dir, TraceFile), safefile.NoLink, maxTrace)
	if err != nil {
		return false
	}
	return bytes.LastIndex(data, []byte("transaction_prepare: 0 ")) > bytes.LastIndex(data, []byte(" finish: "))
}

// maxTrace bounds the trace that Unfinished reads, in bytes.
const maxTrace = 64 << 20

// Works reports whether the installed git writes a ref trace, as git 2.26 and newer do. It asks for
// one in a temporary folder below dir.
func Works(ctx context.Context, workTree, dir string) bool {
	temp, err := os.MkdirTemp(dir, "trace-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(temp)
	cmd, err := git.Command(ctx, workTree, "rev-parse", "--quiet", "--verify", "HEAD")
	if err != nil {
		return false
	}
	cmd.Env = append(cmd.Env, "GIT_TRACE_REFS="+filepath.Join(temp, TraceFile))
	_ = cmd.Run() // an unborn HEAD is an answer too
	_, wrote, err := ReadTrace(temp)
	return err == nil && wrote
}
