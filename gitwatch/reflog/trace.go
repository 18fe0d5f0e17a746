package reflog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// Move is one update of a reference, as git logged it.
type Move struct {
	Ref      string
	Old, New git.ID
	Message  string // of the reflog
}

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

// cutIDs reads two ids of one width that a separator stands between.
func cutIDs(s, separator string) (first, second git.ID, rest string, ok bool) {
	width := strings.Index(s, separator)
	if width < 0 || len(s) < 2*width+len(separator) {
		return "", "", "", false
	}
	first, okFirst := git.ParseID(s[:width])
	end := 2*width + len(separator)
	second, okSecond := git.ParseID(s[width+len(separator) : end])
	return first, second, s[end:], okFirst && okSecond
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
