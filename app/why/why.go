// Package why finds the origin of lines (Why): the run, the session or the commit that wrote them, and what memory
// says about it.
//
// Git blame gives the commit of a line. The entry that names the commit is found by its id, so only the files of
// memory that contain the id are parsed. Without such an entry, the commits that became this one are tried. The line
// is then followed into earlier versions, and into the edits that runs and open sessions left uncommitted
// (SessionsSoFar). PathTrail finds the entries that changed a path, also under an earlier name.
//
// Guarantees: a run's line is never attributed to a person or another run, and a person's line is never surely a run's.
// Memory is not changed.
//
// Not guaranteed: the number of lines of one question, and the time to blame a whole file, are bounded. If git needs
// longer, only the entries count.
package why

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/gitwatch/blame"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// WhyRequest asks for the origins of some lines of a file, or of a path.
type WhyRequest struct {
	// Path is a file or a folder, as seen from the folder of the Memory, or
	// absolute. Unless From is given, or a file has that very name, it may end in
	// :LINE or :LINE-LINE.
	Path     string
	From, To int // lines of the file, from 1, both inclusive; To 0: From; both 0: the whole path
	Limit    int // of a whole path: at most this many origins; 0: all
}

// WhyResult is the answer of Why.
type WhyResult struct {
	api.Why
	Degraded []string // what did not work, a line each; never nil
}

// Limits of Why: the lines of one question, and for a whole file the lines
// and the time to blame them.
const (
	maxWhyLines  = 2000
	maxBlameFile = 20_000
	maxBlameTime = 10 * time.Second
)

// Why reports the runs, sessions and commits that made lines of a file, or a whole
// path, and their tasks. It follows rewritten and copied commits, and uncommitted
// edits of runs. Errors are of KindUsage (no such lines, a path outside), KindNotFound
// (no such file), KindRefused (lines asked of a path without lines) and KindNoPlace.
func Why(ctx context.Context, m *app.Memory, req WhyRequest) (res WhyResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	res.Origins, res.Notes = []api.WhyOrigin{}, []string{}
	if req.Path == "" || req.From < 0 || req.To < 0 || req.To > 0 && req.To < req.From || req.Limit < 0 {
		return res, app.Usagef("want a path, and lines that count from 1")
	}
	s, err := o.OpenOrNew(ctx)
	if err != nil {
		return res, err
	}
	if s.CommonDir == "" || s.Worktree == "" {
		return res, &app.Error{Kind: app.KindNoPlace, Err: errors.New("asking where lines come from: there is no git work tree here"), Hint: "go to one: git knows which commit a line is of"}
	}
	if err := whyPath(s, &req); err != nil {
		return res, err
	}
	w := newWhyFinder(ctx, s, req.Path)
	res.Path, res.From, res.To = req.Path, req.From, max(req.From, req.To)
	if req.From > 0 {
		err = w.lines(&res.Why)
	} else {
		err = w.whole(&res.Why, req.Limit)
	}
	s.Degraded("why", w.degraded)
	return res, err
}

var linesBehind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?$`) })

// whyPath turns the request's path into one below the top of the work tree, and
// parses the lines after it.
func whyPath(s *app.Repo, req *WhyRequest) error {
	if err := checkPath(req.Path); err != nil {
		return err
	}
	if m := linesBehind().FindStringSubmatch(req.Path); m != nil && req.From == 0 && !isPath(s, req.Path) {
		req.Path = m[1]
		req.From, _ = strconv.Atoi(m[2])
		if req.To, _ = strconv.Atoi(m[3]); req.From == 0 || m[3] != "" && req.To < req.From {
			return app.Usagef("lines %s are none: they count from 1", strings.TrimPrefix(m[0], m[1]+":"))
		}
	}
	below, err := Below(s, []string{req.Path})
	if err != nil {
		return err
	}
	req.Path = below[0]
	if first, _, _ := strings.Cut(req.Path, "/"); strings.EqualFold(first, ".git") {
		return app.Usagef("%s is git's own: no commit has it", req.Path)
	}
	return nil
}

// maxPath limits a path in a request, in bytes, to the maximum on Linux.
const maxPath = 4096

// checkPath returns an error for a path that cannot exist.
func checkPath(path string) error {
	switch {
	case len(path) > maxPath:
		return app.Usagef("the path has %d bytes, and may have %d", len(path), maxPath)
	case strings.ContainsRune(path, 0):
		return app.Usagef("a path holds no NUL")
	}
	return nil
}

// isPath reports whether the work tree has something at a path as given.
func isPath(s *app.Repo, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

// lines reports the origins of some lines.
func (w *whyFinder) lines(out *api.Why) error {
	out.Kind = "lines"
	if err := w.readLines(); err != nil {
		return err
	}
	if out.Lines = len(w.text); out.To > out.Lines {
		return app.Usagef("%s has %s, and no line %d", w.path, plural.Count(out.Lines, "line"), max(out.From, out.Lines+1))
	}
	if out.To-out.From >= maxWhyLines {
		return app.Usagef("at most %d lines can be asked about at once", maxWhyLines)
	}
	w.asked = memory.Clean(strings.Join(w.text[out.From-1:out.To], "\n"))
	found, err := w.blameLines(w.ctx, out.From, out.To)
	if err != nil {
		return err
	}
	w.makers.findCommits(found)
	for _, at := range w.stretches(found) {
		origin := w.origin(at.whose)
		origin.From, origin.To, origin.Lines = at.from, at.to, at.to-at.from+1
		origin.Text = w.mem.Redact.Text(memory.Clean(strings.Join(w.text[at.from-1:at.to], "\n")))
		w.addRecalled(origin.Entry)
		out.Origins = append(out.Origins, origin)
	}
	out.Notes = append(out.Notes, w.notes...)
	return nil
}

// readLines reads the file from the work tree.
func (w *whyFinder) readLines() (err error) {
	w.now, err = blame.Read(w.mem.Worktree, w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("the work tree has no file %s", w.path), Hint: "without a line, why lists the tasks that touched the path"}
	case errors.Is(err, blame.ErrNoFile):
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s is no file, and has no lines", w.path), Hint: "without a line, why lists the tasks that made it"}
	case err != nil:
		return fmt.Errorf("reading %s: %w", w.path, err)
	case blame.IsBinary(w.now):
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s is binary, and has no lines", w.path), Hint: "without a line, why lists the tasks that made it"}
	}
	w.text = splitLines(w.now)
	return nil
}

// splitLines returns the lines of a text, as git counts them.
func splitLines(text []byte) (lines []string) {
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}

// blameLines asks git for the commits of lines, and reads memory at the same time. If no
// commit has the file, no line is committed.
func (w *whyFinder) blameLines(ctx context.Context, from, to int) (blame.File, error) {
	prepared := make(chan struct{})
	go func() {
		defer close(prepared)
		w.makers.prepare()
	}()
	found, err := blame.Lines(ctx, w.mem.Worktree, "", w.path, from, to)
	<-prepared
	if errors.Is(err, blame.ErrUncommitted) {
		w.untracked = true
		return blame.File{Hunks: []blame.Hunk{{Line: from, Count: to - from + 1, Path: w.path, Was: from}}}, nil
	}
	return found, err
}
