package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/recall"
	"agentflow/app/run"
	"agentflow/executor"
	"agentflow/internal/lists"
	"agentflow/internal/shellword"
	"agentflow/memory"
	"agentflow/prompt"
)

// started answers the beginning of a session with the part of memory that does not
// depend on a task. It greets the user of a first session.
func (s *sessionMemory) started(ctx context.Context, first bool, res *HookResult) error {
	if s.Repo.CommonDir != "" && s.ev.EnvFile != "" {
		err := traceRefs(s.ev.EnvFile, s.folder.Trace())
		if err == nil {
			err = s.folder.MakeTrace()
		}
		s.note(err) // without a trace, commits are found by the reflog only
	}
	if s.ev.Forgot {
		s.note(s.folder.ShowAgain())
	}
	begun := s.beginning(ctx)
	res.Context = begun.Text
	if first && !s.ev.Forgot {
		res.Message = s.greeting(begun)
	} else if entries := len(begun.Work); len(begun.Facts)+len(begun.Notes)+entries > 0 {
		res.Message = "AgentFlow: begins with " + run.RecalledWords(len(begun.Facts)+len(begun.Notes), 0, entries, memory.Tokens(begun.Text))
	}
	return s.folder.Show(s.ev.At, nil, lists.Mapped(slices.Concat(begun.Facts, begun.Notes), RecalledFact), nil)
}

// greeting is the line for the user that shows, once, that AgentFlow works.
func (s *sessionMemory) greeting(begun prompt.Beginning) string {
	const remembers = "AgentFlow remembers this session"
	switch {
	case len(begun.Facts)+len(begun.Notes)+len(begun.Work) == 0 && s.isEmpty():
		return remembers + "; memory is empty so far"
	case s.Repo.Settings.Session.RecallTokens == 0:
		return remembers
	}
	return remembers + ". A line under a prompt says what memory added to it; without one, it added nothing"
}

// isEmpty reports whether no memory file has an entry or a fact.
func (s *sessionMemory) isEmpty() bool {
	for range lookup.ReadableBlocks(s.Repo) {
		return false
	}
	return true
}

// beginning returns the memory for the start of a session. In a resumed session, earlier
// memory is already in the conversation.
func (s *sessionMemory) beginning(ctx context.Context) prompt.Beginning {
	in, _, late, degraded := Start(ctx, s.Repo, StartOf{At: s.ev.At, Agent: s.ev.Agent, Session: s.ev.Session, Tools: s.ev.Tools})
	recall.CountLate(s.Repo, late)
	s.trouble(degraded...)
	before := s.folder.Shown()
	known := func(f prompt.Fact) bool { return before.Has(RecalledFact(f)) }
	in.Facts, in.Notes = slices.DeleteFunc(in.Facts, known), slices.DeleteFunc(in.Notes, known)
	return in.Begin()
}

// StartOf identifies a session that begins.
type StartOf struct {
	At      time.Time
	Agent   string
	Session string // its id; empty: a new one
	Tools   bool   // it has the tools of memory
}

// startDeadlines is the wait for the start of a session, in deadlines of a prompt.
const startDeadlines = 4

// Start gathers the memory for the start of a session within a deadline, because an
// agent waits for it. It leaves out read, as the agent reads it elsewhere. late names the missing parts.
func Start(ctx context.Context, s *app.Repo, of StartOf) (in prompt.SessionStart, read []executor.ReadFact, late, degraded []string) {
	ctx, cancel := context.WithTimeout(ctx, startDeadlines*s.Settings.Session.Deadline)
	defer cancel()
	found := recall.GatherStart(ctx, s, of.Agent, of.At)
	branch, _ := lookup.Branch(ctx, s) // without a branch, the work of all branches is shown
	found.Namespaces = []string{memory.BranchNamespace + branch, memory.TeamNamespace, memory.GlobalNamespace}
	in = prompt.SessionStart{Known: found.Known, Limits: recall.Limits(s), Now: of.At, Tools: of.Tools}
	in.Budget = s.Settings.Session.StartTokens
	in.Here, in.Recent = recentWork(s, of, branch)
	if ctx.Err() != nil { // the lines may say only that
		return in, found.Read, found.Late, nil
	}
	return in, found.Read, found.Late, found.Degraded
}

// maxRecentWork bounds the entries that are read for recent work.
const maxRecentWork = 40

// recentWork lists the work of today and yesterday, the newest first: that of the session,
// and other work on a branch.
func recentWork(s *app.Repo, of StartOf, branch string) (here, others []prompt.Recent) {
	at := of.At
	yesterday := time.Date(at.Year(), at.Month(), at.Day()-1, 0, 0, 0, 0, at.Location())
	for b := range lookup.ReadableBlocks(s) {
		e := b.Entry
		if e == nil || e.Kind == memory.KindNote || memoryfiles.IsUntrusted(s, b.Path) || !isWork(e) {
			continue
		}
		if e.Time.Before(yesterday) || len(here)+len(others) == maxRecentWork {
			break
		}
		work := prompt.Recent{Time: e.Time.In(at.Location()), Title: purge.TitleOf(e), Failed: failure(e), Denied: memory.Title(strings.Join(e.Denials[:min(len(e.Denials), 1)], "")), Files: len(propose.ChangesAnywhere(e)), Ref: memory.ShortID(e.ID)}
		switch {
		case e.Session != "" && e.Session == of.Session:
			here = append(here, work)
		case branch == "" || e.Branch == branch:
			others = append(others, work)
		}
	}
	return here, others
}

// isWork reports whether an entry is about finished work that was not undone:
// it left something, or it failed.
func isWork(e *memory.Entry) bool {
	switch {
	case e.IsUndone() || e.Result != nil && e.Result.Outcome == memory.OutcomeInterrupted:
		return false
	case failure(e) != "":
		return true
	}
	return len(propose.ChangesAnywhere(e))+len(e.Commits)+len(e.PossibleCommits)+len(e.Facts) > 0
}

// failure says why an entry's run or session failed. It is empty for a success.
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

// touch sets the modification time of a file, and creates the file if it does not exist.
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
// that it moves. The agent keeps the line for a resumed session, even after AgentFlow
// is uninstalled.
func traceRefs(envFile, trace string) error {
	f, err := os.OpenFile(envFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "[ ! -d %s ] || export GIT_TRACE_REFS=%s\n", shellword.Quote(filepath.Dir(trace)), shellword.Quote(trace))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("having git trace the references of a session: %w", err)
	}
	return nil
}
