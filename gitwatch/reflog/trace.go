package reflog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// traceFile is the file, in a run's folder, that GIT_TRACE_REFS names.
const traceFile = "refs.log"

// ReadTrace reads the moves of a run in the order they were logged. A file
// that is not there, or into which no git wrote, gives wrote = false.
func ReadTrace(dir string) (moves []Move, wrote bool, err error) {
	f, err := repofile.Open(filepath.Join(dir, traceFile), repofile.NoLink)
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

// maxLogLine is the length in bytes over which a line of the trace is passed
// over: a ref name and a reflog message are far shorter.
const maxLogLine = 64 << 10

// parseTrace reads git's ref trace (git(1), GIT_TRACE_REFS; written by
// refs/debug.c). Several processes append to it, and a killed one may leave
// half a line, so a line counts only if it is whole.
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
			return moves, wrote || len(line) > 0, nil // an unfinished line is not whole
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

// parseMove reads a line such as
//
//	04:42:12.905108 refs/debug.c:71         0: HEAD OLD -> NEW (F=0x5, T=0x1) "commit: subject"
func parseMove(line string) (Move, bool) {
	clock, rest, ok := strings.Cut(line, " refs/debug.c:")
	if !ok || !isClock(clock) {
		return Move{}, false
	}
	at, rest := cutDigits(rest)
	index, rest2 := cutDigits(strings.TrimLeft(rest, " "))
	if at == "" || index == "" || !strings.HasPrefix(rest, " ") {
		return Move{}, false
	}
	rest, ok = strings.CutPrefix(rest2, ": ")
	if !ok {
		return Move{}, false
	}
	name, rest, ok := strings.Cut(rest, " ")
	if !ok || name == "" {
		return Move{}, false
	}
	m := Move{Ref: name}
	if m.Old, m.New, rest, ok = cutIDs(rest, " -> "); !ok {
		return Move{}, false
	}
	m.Message, ok = parseMoveEnd(rest)
	return m, ok
}

// parseMoveEnd reads ` (F=0x5, T=0x1) "message"`.
func parseMoveEnd(s string) (string, bool) {
	s, ok := strings.CutPrefix(s, " (F=0x")
	if !ok {
		return "", false
	}
	flags, s, ok := strings.Cut(s, ") \"")
	if !ok || len(flags) > 40 || !strings.Contains(flags, ", T=0x") {
		return "", false
	}
	return strings.CutSuffix(s, `"`)
}

// isClock says whether s is a time of day with microseconds.
func isClock(s string) bool {
	const form = "00:00:00.000000"
	if len(s) != len(form) {
		return false
	}
	for i := range len(s) {
		digit := s[i] >= '0' && s[i] <= '9'
		if digit != (form[i] == '0') || !digit && s[i] != form[i] {
			return false
		}
	}
	return true
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// Works says whether the git that is found here writes a ref trace, as git 2.26
// and newer do. It asks for one in a temporary folder below dir.
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
	cmd.Env = append(cmd.Env, "GIT_TRACE_REFS="+filepath.Join(temp, traceFile))
	_ = cmd.Run() // an unborn HEAD is an answer too
	_, wrote, err := ReadTrace(temp)
	return err == nil && wrote
}
