package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor"
	"agentflow/memory"
	"agentflow/prompt"
)

// started answers the beginning of a session: what memory holds whatever will
// be asked.
func (s *sessionMemory) started(ctx context.Context, res *SessionHookResult) error {
	if s.CommonDir != "" && s.ev.EnvFile != "" {
		err := traceRefs(s.ev.EnvFile, s.folder.Trace())
		if err == nil {
			err = s.folder.MakeTrace()
		}
		if err != nil {
			s.trouble(err.Error()) // commits then count by the reflog alone
		}
	}
	if s.ev.Forgot {
		if err := s.folder.ShowAgain(); err != nil {
			s.trouble(err.Error())
		}
	}
	text, shown := s.beginning(ctx)
	res.Context = text
	return s.folder.Show(nil, mapped(shown, recalledFact))
}

// beginning is what a session begins with.
func (s *sessionMemory) beginning(ctx context.Context) (string, []prompt.Fact) {
	global, err := s.openGlobal(ctx, false)
	if err != nil {
		s.trouble(err.Error())
	}
	var found executor.Known
	s.addFacts(ctx, &found, global)
	s.trouble(found.Degraded...)
	for i := range found.Facts {
		found.Facts[i].Fact = found.Facts[i].Redacted(s.redact.Text)
	}
	before := s.folder.Shown() // of a session that is resumed: its conversation contains them
	known := func(f prompt.Fact) bool { return before.Has(recalledFact(f)) }
	facts, notes := slices.DeleteFunc(found.Facts, known), slices.DeleteFunc(found.Notes, known)
	branch, _ := s.branch(ctx) // on none, what was done on any is told
	in := prompt.SessionStart{
		Facts: facts, Notes: notes, Standing: s.settings.Recall.Standing, Budget: s.settings.Session.StartTokens, Format: prompt.Format(s.settings.Prompt.Format), Now: s.ev.At, Tools: s.ev.Tools,
		Namespaces: []string{memory.BranchNamespace + branch, memory.TeamNamespace, memory.GlobalNamespace},
	}
	in.Here, in.Recent = s.recentWork(branch)
	return in.Begin()
}

// addFacts adds what a session begins with, whatever will be asked, as far as it comes in
// time: an agent waits for it.
func (s *sessionMemory) addFacts(ctx context.Context, found *executor.Known, global *openMemory) {
	ctx, cancel := context.WithTimeout(ctx, startDeadlines*s.settings.Session.Deadline)
	defer cancel()
	g, end := newGathering(ctx)
	defer end()
	s.beginFacts(ctx, g, global, s.ev.At).addTo(found, s.promptFilter(memory.Filter{}))
	s.countLate(g.late)
}

// startDeadlines is how much longer the beginning of a session may wait than a prompt.
const startDeadlines = 10

// maxRecentWork bounds the entries that are read for recent work.
const maxRecentWork = 40

// recentWork lists the work of today and yesterday, the newest first: that of this session,
// and other work on a branch.
func (s *sessionMemory) recentWork(branch string) (here, others []prompt.Recent) {
	at := s.ev.At
	yesterday := time.Date(at.Year(), at.Month(), at.Day()-1, 0, 0, 0, 0, at.Location())
	for b := range s.readable() {
		e := b.Entry
		if e == nil || e.Kind == memory.KindNote || s.isUntrusted(b.Path) || !isWork(e) {
			continue
		}
		if e.Time.Before(yesterday) || len(here)+len(others) == maxRecentWork {
			break
		}
		work := prompt.Recent{Time: e.Time.In(at.Location()), Title: titleOf(e), Failed: failure(e), Files: len(changesAnywhere(e)), Ref: memory.ShortID(e.ID)}
		switch {
		case e.Session != "" && e.Session == s.ev.Session:
			here = append(here, work)
		case branch == "" || e.Branch == branch:
			others = append(others, work)
		}
	}
	return here, others
}

// isWork says whether an entry is about work that came to an end and was not taken back:
// it left something, or it failed.
func isWork(e *memory.Entry) bool {
	switch {
	case e.IsUndone() || e.Result != nil && e.Result.Outcome == memory.OutcomeInterrupted:
		return false
	case failure(e) != "":
		return true
	}
	return len(changesAnywhere(e))+len(e.Commits)+len(e.PossibleCommits)+len(e.Facts) > 0
}

// failure says why an entry's run or session failed; empty: it did not.
func failure(e *memory.Entry) string {
	if e.Result == nil {
		return ""
	}
	switch e.Result.Outcome {
	case memory.OutcomeFailed, memory.OutcomeNotStarted:
		return cmp.Or(memory.Title(strings.Join(e.Errors[:min(len(e.Errors), 1)], "")), fmt.Sprintf("exit %d", e.Result.ExitCode))
	case memory.OutcomeTimeout:
		return "timed out"
	}
	return ""
}

// asked answers a prompt: the memory that is about it and that the session was
// not shown. work says that no segment is open.
func (s *sessionMemory) asked(ctx context.Context, res *SessionHookResult) (work bool, err error) {
	if err := s.folder.BeginTurn(s.ev.At); err != nil {
		s.trouble(err.Error())
	}
	st, err := s.folder.Load()
	work = err != nil || st.Segment == ""
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.trouble(err.Error())
	}
	if s.settings.Session.RecallTokens == 0 || prompt.IsCommand(s.ev.Prompt) || prompt.IsContinuation(s.ev.Prompt) {
		return work, nil
	}
	out, err := s.recallInTime(ctx)
	if err != nil {
		return work, err
	}
	res.Context = out.Block
	return work, s.folder.Show(mapped(out.Used, recalledHit), mapped(out.Facts, recalledFact))
}

// maxAsked is how much of a prompt is searched for, in characters.
const maxAsked = 600

// recallInTime is recallPart within the deadline, also where what it waits for
// heeds none: then it goes on beside the rest of this process.
func (s *sessionMemory) recallInTime(ctx context.Context) (prompt.Output, error) {
	type answer struct {
		out prompt.Output
		err error
	}
	limit := s.settings.Session.Deadline
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("recall for a prompt was not done within %v", limit))
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		out, err := s.recallPart(ctx)
		done <- answer{out, err}
	}()
	select {
	case a := <-done:
		if a.err != nil && ctx.Err() != nil {
			a.err = context.Cause(ctx)
		}
		return a.out, a.err
	case <-ctx.Done():
		return prompt.Output{}, context.Cause(ctx)
	}
}

// recallPart is the memory that one prompt is given.
func (s *sessionMemory) recallPart(ctx context.Context) (prompt.Output, error) {
	if !s.HasMemory() {
		return prompt.Output{}, nil
	}
	namespaces, err := s.namespaces(ctx, nil, "")
	if err != nil {
		s.trouble(err.Error())
	}
	set := s.settings
	found, err := s.recall(ctx, memory.Query{Text: memory.Head(s.ev.Prompt, maxAsked), Limit: set.Recall.Top, Gate: true, Namespaces: namespaces})
	s.trouble(found.Degraded...)
	if err != nil {
		return prompt.Output{}, err
	}
	shown := s.folder.Shown()
	hits := slices.DeleteFunc(found.Hits, func(h memory.Hit) bool {
		return shown.Has(recalledHit(h)) || h.Kind == memory.KindNote && shown.HasWithin(h.Path, h.StartLine, h.EndLine)
	})
	hits = near(hits)
	facts := slices.DeleteFunc(found.Facts, func(f prompt.Fact) bool {
		return !missed(f, set.Recall.Gate) || shown.Has(recalledFact(f))
	})
	return prompt.Part(prompt.Input{
		Task: s.ev.Prompt, Hits: hits, Facts: facts, Standing: set.Recall.Standing, Files: found.Files, Budget: set.Session.RecallTokens, Top: cmp.Or(min(set.Recall.Top, partTop), none),
		Format: prompt.Format(set.Prompt.Format), Now: time.Now(), Namespaces: found.Namespaces,
	}), nil
}

// Bounds of what one prompt of a session is given. A session asks often, and what it
// was shown stays before its eyes. Over 40 prompts from this project's own history, five
// entries a prompt made 79, of which 17 touched the files of their turn; three made 55 and
// 16; three that score 0.7 of the best or more made 46 and 15 (session/day_test.go).
const (
	partTop  = 3
	partNear = 0.7
)

// near are the hits that are nearly as good as the best.
func near(hits []memory.Hit) []memory.Hit {
	best := 0.0
	for _, h := range hits {
		best = max(best, h.RankScore)
	}
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.RankScore < partNear*best })
}

func recalledHit(h memory.Hit) executor.RecalledItem {
	return executor.RecalledItem{ID: h.EntryID, Source: h.Source, Path: h.Path, Line: h.StartLine, Title: h.Heading}
}

func recalledFact(f prompt.Fact) executor.RecalledItem {
	return executor.RecalledItem{ID: f.ID, Path: f.Path, Line: f.Line}
}

// touch gives a file a time, and makes it where it is not there.
func touch(name string, at time.Time) error {
	if os.Chtimes(name, at, at) == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	return os.Chtimes(name, at, at)
}

// traceRefs has the shells of an agent's commands make git log the references
// that it moves.
func traceRefs(envFile, trace string) error {
	f, err := os.OpenFile(envFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "export GIT_TRACE_REFS='%s'\n", strings.ReplaceAll(trace, "'", `'\''`))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("having git trace the references of a session: %w", err)
	}
	return nil
}
