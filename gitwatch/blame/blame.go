// Package blame finds out of which commit each line of a file is, as git blame says, and
// which lines of a file stem from the change that a run left.
//
// Guarantees: it asks the git program and writes nothing; settings of the user count
// (blame.ignoreRevsFile), but none that only changes how git shows its answer. Names and
// subjects may hold any bytes.
//
// Not guaranteed: a line that was moved within a file, or between files, is of the commit
// that moved it, as git blame says without its options for that. Lines count by the bytes of
// the file, not as a text conversion (gitattributes(5)) would show them.
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

// Hunk is some lines of a file, one after the other, that are of one commit.
type Hunk struct {
	Line   int    // the first one, from 1
	Count  int    // how many
	Commit string // full id; empty: they are not committed yet
	Path   string // of the file in that commit
	Before string // of the file in that commit's parent; empty where it has none
	Was    int    // the first line there, from 1
}

// Commit is what git blame tells of a commit.
type Commit struct {
	Subject  string // on one line
	Time     time.Time
	Boundary bool // it has no parent here: a first commit, or the end of a shallow history
}

// File is the answer about a file.
type File struct {
	Hunks   []Hunk            // in the order of the lines
	Commits map[string]Commit // by full id
}

// ErrUncommitted says that no commit has the file: all its lines are not committed yet.
var ErrUncommitted = errors.New("no commit has the file")

// Lines asks about the lines from to to, from 1 and both inclusive, of the file at path as
// it stands in the work tree at top or, where a commit is named, as that has it. to 0 means
// the last line. The path is relative to top, '/' separated. When ctx ends, the hunks that
// were found until then come with its error.
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

// span is lines as git's -L reads them.
func span(from, to int) string {
	if to == 0 {
		return fmt.Sprintf("%d,", max(from, 1))
	}
	return fmt.Sprintf("%d,%d", max(from, 1), to)
}

// sort puts hunks in order, and joins those that git found one by one.
func (f *File) sort() {
	slices.SortFunc(f.Hunks, func(a, b Hunk) int { return cmp.Compare(a.Line, b.Line) })
	joined := f.Hunks[:0]
	for _, h := range f.Hunks {
		if n := len(joined); n > 0 && joined[n-1].goesOn(h) {
			joined[n-1].Count += h.Count
			continue
		}
		joined = append(joined, h)
	}
	f.Hunks = joined
}

func (h Hunk) goesOn(next Hunk) bool {
	return next.Commit == h.Commit && next.Path == h.Path && next.Line == h.Line+h.Count && next.Was == h.Was+h.Count
}

// isUncommitted says whether git tracks no such file, or has no commit at all.
func isUncommitted(ctx context.Context, top, path string) bool {
	if _, err := git.Text(ctx, top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); git.Exited(err, 1) {
		return true
	}
	listed, err := git.Text(ctx, top, "ls-files", "-z", "--", ":(literal)"+path)
	return err == nil && listed == ""
}

// Contents returns what git has under a name such as COMMIT:PATH, or a blob's id. The
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

// ErrNoFile says that there is something else at a path: a folder, or a device.
var ErrNoFile = errors.New("it is no file")

// Read returns the contents of a file of the work tree at top, or where a link points to,
// up to 10 MB. The path is relative to top, '/' separated.
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

// IsBinary says whether git takes contents for binary: they have no lines.
func IsBinary(content []byte) bool { return linediff.IsBinary(content) }

// Match returns for each line of b the line of a that it is, or -1; lines count from 0.
func Match(a, b []byte) []int { return linediff.Match(a, b) }

// Stems says of each line of now whether the change of a file from before to after put it
// in. Where now is not after, a line that says little, as a bracket does, counts only beside
// one that says more: it is found in any file.
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

// says is whether a line has enough letters and digits to be told from others.
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
