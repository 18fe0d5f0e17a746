package list

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/search"
	"agentflow/app/sharing"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/internal/usecount"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// MaxPassage bounds the text of a passage, in bytes.
const MaxPassage = 64 << 10

// PassageRequest names lines of memory: those of an entry or a fact by Ref, or lines of a file.
type PassageRequest struct {
	Ref string // an id, the last 4 or more digits of one, a commit, or "last" for the newest run or session
	// File is a Markdown file of memory as hits name it: "memory/2026-11-21.md", "global:memory/MEMORY.md", or by its path
	// in the repository: ".agentflow/memory/2026-11-21.md". It must be empty if Ref is set.
	File     string
	From, To int // of File, counted from 1, both inclusive; 0: the first and the last line
}

// PassageResult is a passage of memory. It has no control characters and, like prompts, no secrets that a person wrote
// into the text, because its callers pass it to models.
type PassageResult struct {
	File      string   // as hits name it
	From, To  int      // the lines in Text, counted from 1, both inclusive
	Lines     int      // number of lines of the whole file
	Text      string   // at most MaxPassage bytes, without a newline at its end
	Cut       bool     // the passage was longer: the rest begins in line To, or after it
	Untrusted bool     // the file came with the repository and was not accepted
	Author    string   // the person who shares it; empty: the user's own
	Under     []string // of a person's text: the headings, introducing lines and parent items above it, outermost first
	Degraded  []string
}

// Passage reads lines of memory. Errors have KindUsage (the request names no file of memory), KindNotFound or
// KindNoPlace.
func Passage(ctx context.Context, m *app.Memory, req PassageRequest) (res PassageResult, err error) {
	req.File = strings.TrimPrefix(strings.TrimPrefix(req.File, cmp.Or(m.Name, "\x00")+":"), ".agentflow/")
	for _, r := range slices.Concat(m.Beside, m.Others) {
		if file, ok := strings.CutPrefix(req.File, r.Name+":"); ok {
			m, req.File = r.Memory, file
		}
	}
	return search.InAny(m, func(m *app.Memory) (PassageResult, error) { return passageOf(ctx, m, req) })
}

// passageOf is Passage for one memory.
func passageOf(ctx context.Context, m *app.Memory, req PassageRequest) (res PassageResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	if (req.Ref == "") == (req.File == "") || req.Ref != "" && (req.From != 0 || req.To != 0) {
		return res, app.Usagef("a passage is named by an id, or by a file and lines of it")
	}
	if req.From < 0 || req.To < 0 || req.To > 0 && req.To < req.From {
		return res, app.Usagef("lines %d to %d are none: they count from 1", req.From, req.To)
	}
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return res, err
	}
	if req.Ref != "" {
		if s, req, err = resolvePassage(ctx, s, req.Ref); err != nil {
			return res, err
		}
	}
	return findPassage(ctx, s, req)
}

// resolvePassage resolves an id to its memory, file and lines.
func resolvePassage(ctx context.Context, s *app.Repo, ref string) (*app.Repo, PassageRequest, error) {
	f, err := lookup.LookUp(ctx, s, ref)
	if ref != "last" { // "last" is a run, and the user's own memory has no runs
		s, f, err = lookup.OrGlobal(ctx, s, ref, f, err)
	}
	if err != nil {
		return nil, PassageRequest{}, err
	}
	lookup.UsesFile(s).Add(ctx, usecount.Get, []string{f.ID}, time.Now())
	req := PassageRequest{File: lookup.Named(s, f.File), From: f.StartLine, To: f.LastLine()}
	if f.Fact != nil {
		k := factOf(s, f)
		req.From, req.To = k.StartLine, k.EndLine
	}
	return s, req, nil
}

func findPassage(ctx context.Context, s *app.Repo, req PassageRequest) (res PassageResult, err error) {
	name, ofOwn := strings.CutPrefix(req.File, memory.GlobalLabel)
	shared := strings.HasPrefix(name, memory.SharedFolder)
	if err := checkFileName(name); err != nil && !shared {
		return res, err
	}
	missing := &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("memory has no file %s", memory.Clean(req.File))}
	if ofOwn && !s.IsGlobal() {
		if s, err = s.OpenGlobal(ctx, false); s == nil && err == nil {
			err = missing
		}
		if err != nil {
			return res, err
		}
	}
	res.File, res.Untrusted = lookup.Named(s, name), app.UntrustedPart(ctx, s).File(name)
	path, within := filepath.Join(s.Root, filepath.FromSlash(name)), s.Memory()
	if shared {
		f, ok := lookup.FindSharedFile(ctx, s, name)
		if !ok {
			return res, missing
		}
		path, within, res.Author = f.Path, sharing.Mirror(s), f.Author
	} else if app.UntrustedPart(ctx, s).Outside {
		return res, missing
	}
	data, err := safefile.Read(path, safefile.Within(within), memoryfiles.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, safefile.ErrNotRegular) || errors.Is(err, safefile.ErrOutside):
		return res, missing
	case err != nil:
		return res, fmt.Errorf("reading memory: %w", err)
	}
	if err := res.take(string(data), req.From, req.To); err != nil {
		return res, err
	}
	res.Under = lists.Mapped(markdown.Parse(data).Under(name, res.From), s.Redact.Text)
	if res.Text = s.Redact.Text(res.Text); len(res.Text) > MaxPassage { // the marks may be longer than the secrets
		res.Text, res.Cut = wholeRunes(res.Text[:MaxPassage]), true
	}
	return res, nil
}

// checkFileName accepts the names of Markdown files in the memory folder. It refuses names that a system could read as
// another file.
func checkFileName(name string) error {
	rel, ok := strings.CutPrefix(name, "memory/")
	if ok && filepath.IsLocal(filepath.FromSlash(rel)) && path.Clean(rel) == rel && !strings.ContainsAny(rel, "\\:\x00") && strings.HasSuffix(rel, ".md") {
		return nil
	}
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("%q is no file of memory", name), Hint: "a file of memory is named as hits name it: memory/2026-11-21.md"}
}

// take copies lines of a file into the result. It returns an error if the file ends before them.
func (res *PassageResult) take(text string, from, to int) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	res.Lines = len(lines)
	from = max(from, 1)
	if from > len(lines) {
		return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%s has %s", res.File, plural.Count(len(lines), "line"))}
	}
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	var b strings.Builder
	last := from
	for i := from; i <= to && !res.Cut; i++ {
		line := memory.Clean(strings.TrimSuffix(lines[i-1], "\r"))
		switch {
		case i == from && len(line) > MaxPassage:
			line, res.Cut = wholeRunes(line[:MaxPassage]), true
		case i > from && b.Len()+1+len(line) > MaxPassage:
			res.Cut = true
			continue
		case i > from:
			b.WriteByte('\n')
		}
		b.WriteString(line)
		last = i
	}
	res.From, res.To, res.Text = from, last, b.String()
	return nil
}

// wholeRunes removes an incomplete rune from the end of text.
func wholeRunes(text string) string {
	for n := 0; n < utf8.UTFMax && !utf8.ValidString(text); n++ {
		text = text[:len(text)-1]
	}
	return text
}
