// Package blame finds which commit each line of a file is from, as git blame reports it, and which
// lines of a file come from the change that a run left.
//
// Guarantees: it uses the git program and writes nothing. Settings of the user count
// (blame.ignoreRevsFile), except those that only change how git shows its answer. Names and
// subjects may hold any bytes.
//
// Not guaranteed: a line that was moved within a file, or between files, is attributed to the
// commit that moved it, as git blame does without its options for moved lines. Lines are those of
// the bytes of the file, not of a text conversion (gitattributes(5)).
package blame

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/linediff"
)

// Hunk is a run of consecutive lines of a file that are from one commit.
type Hunk struct {
	Line   int    // the first one, from 1
	Count  int    // number of lines
	Commit string // full id; empty: the lines are not committed yet
	Path   string // of the file in that commit
	Before string // path of the file in that commit's parent; empty if the parent does not have it
	Was    int    // the first line in the parent's file, from 1
}

// Commit is what git blame reports about a commit.
type Commit struct {
	Subject  string // on one line
	Time     time.Time
	Boundary bool // it has no parent here: a first commit, or the end of a shallow history
}

// File is the result for a file.
type File struct {
	Hunks   []Hunk            // in the order of the lines
	Commits map[string]Commit // by full id
}

// ErrUncommitted means that no commit has the file: none of its lines is committed yet.
var ErrUncommitted = errors.New("no commit has the file")

// Lines attributes the lines from to to, counted from 1 and both inclusive, of the file at path:
// the file in the work tree at top or, if commit is not empty, in that commit. If to is 0, the
// range ends with the last line. The path is relative to top, '/' separated. If ctx ends, Lines
// returns the hunks found so far with the error of ctx.
func Lines(ctx context.Context, top, commit, path string, from, to int) (File, error) {
	args := []string{"-c", "blame.showRoot=false", "-c", "blame.coloring=none", "-c", "core.quotePath=true",
		"blame", "--incremental", "--no-textconv", "--encoding=UTF-8", "-L", span(from, to)}
	if commit != "" {
		args = append(args, commit)
	}
	r := reader{file: File{Commits: map[string]Commit{}}}
	err := git.Stream(ctx, top, nil, func(out io.Reader) error { return r.read(out) }, append(args, "--", path)...)
	r.file.sort()
	switch {
	case err == nil:
		return r.file, nil
	case ctx.Err() == nil && commit == "" && isUncommitted(ctx, top, path):
		err = ErrUncommitted
	}
	return r.file, fmt.Errorf("asking git about the lines of %s: %w", path, err)
}

// span returns a range of lines in the form of git's option -L.
func span(from, to int) string {
	if to == 0 {
		return fmt.Sprintf("%d,", max(from, 1))
	}
	return fmt.Sprintf("%d,%d", max(from, 1), to)
}

// sort sorts the hunks, and joins those that git reported one by one.
func (f *File) sort() {
	slices.SortFunc(f.Hunks, func(a, b Hunk) int { return cmp.Compare(a.Line, b.Line) })
	joined := f.Hunks[:0]
	for _, h := range f.Hunks {
		if n := len(joined); n > 0 && joined[n-1].continuesIn(h) {
			joined[n-1].Count += h.Count
			continue
		}
		joined = append(joined, h)
	}
	f.Hunks = joined
}

func (h Hunk) continuesIn(next Hunk) bool {
	return next.Commit == h.Commit && next.Path == h.Path && next.Line == h.Line+h.Count && next.Was == h.Was+h.Count
}

// isUncommitted reports whether git does not track the file, or has no commits at all.
func isUncommitted(ctx context.Context, top, path string) bool {
	if _, err := git.Text(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); git.Exited(err, 1) {
		return true
	}
	listed, err := git.Text(ctx, top, "ls-files", "-z", "--", ":(literal)"+path)
	return err == nil && listed == ""
}

// Contents returns the contents of an object by a name such as COMMIT:PATH, or a blob's id. The
// error is git.ErrTooLarge over 10 MB.
func Contents(ctx context.Context, top, name string) (content []byte, err error) {
	if strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("reading %s: it is no name of an object", name)
	}
	err = git.Stream(ctx, top, nil, func(out io.Reader) error {
		content, err = io.ReadAll(io.LimitReader(out, git.MaxRead+1))
		if err == nil && len(content) > git.MaxRead {
			err = git.ErrTooLarge
		}
		return err
	}, "cat-file", "blob", name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return content, nil
}

// ErrNoFile means that there is something other than a file at a path: a folder, or a device.
var ErrNoFile = errors.New("it is no file")

// Read returns the contents of a file of the work tree at top, or the target of a link, up to 10
// MB. The path is relative to top, '/' separated.
func Read(top, path string) ([]byte, error) {
	full := filepath.Join(top, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	mode := uint32(git.ModeFile)
	switch {
	case err != nil:
		return nil, git.WithoutPath(err)
	case info.Mode()&os.ModeSymlink != 0:
		mode = git.ModeLink
	case !info.Mode().IsRegular():
		return nil, ErrNoFile
	}
	content, err := git.ReadFile(full, mode, git.MaxRead)
	return content, git.WithoutPath(err)
}

// IsBinary reports whether git treats contents as binary. Binary contents have no lines.
func IsBinary(content []byte) bool { return linediff.IsBinary(content) }

// Match returns, for each line of b, the index of the same line of a, or -1. Lines are counted from
// 0.
func Match(a, b []byte) []int { return linediff.Match(a, b) }

// Stems reports, for each line of now, whether the change of a file from before to after added it.
// If now differs from after, a line with little text, such as a bracket, counts only next to one
// with more text, because such lines occur in any file.
func Stems(now, before, after []byte) []bool {
	inAfter, inBefore := linediff.Match(after, now), linediff.Match(before, after)
	stems := make([]bool, len(inAfter))
	same := bytes.Equal(now, after)
	begin, telling := 0, same
	for i, line := range slices.Collect(strings.Lines(string(now))) {
		if i > 0 && inAfter[i] != inAfter[i-1]+1 {
			begin, telling = i, same
		}
		if inAfter[i] < 0 || inBefore[inAfter[i]] >= 0 {
			begin, telling = i+1, same
			continue
		}
		if telling = telling || says(line); telling {
			for ; begin <= i; begin++ {
				stems[begin] = true
			}
		}
	}
	return stems
}

// says reports whether a line has enough letters and digits to be distinguished from others.
func says(line string) bool {
	const enough = 6
	n := 0
	for _, r := range line {
		if r > 127 || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			n++
		}
	}
	return n >= enough
}
