package session

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

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/recall"
	"agentflow/app/run"
	"agentflow/app/search"
	"agentflow/app/standing"
	"agentflow/executor"
	"agentflow/executor/runfolder"
	"agentflow/executor/turns"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// asked answers a prompt with the relevant memory that the session was not shown
// before. work reports that no segment is open.
func (s *sessionMemory) asked(ctx context.Context, res *HookResult) (work bool, err error) {
	s.note(s.folder.BeginTurn(s.ev.At))
	st, err := s.folder.Load()
	work = err != nil || st.Segment == ""
	if !errors.Is(err, fs.ErrNotExist) {
		s.note(err)
	}
	defer func() { res.Message = s.withWaiting(res.Message) }()
	if s.Repo.Settings.Session.RecallTokens == 0 || !s.Repo.HasMemory() || prompt.IsCommand(s.ev.Prompt) || prompt.IsContinuation(s.ev.Prompt) {
		return work, nil
	}
	out, slow, err := s.recallInTime(ctx)
	s.note(s.folder.NoteRecall(turns.Recall{At: s.ev.At, Slow: slow}))
	if err != nil {
		return work, err
	}
	res.Context = out.Block
	if out.Block != "" {
		res.Message = shownLine(out)
	}
	return work, s.folder.Show(s.ev.At, lists.Mapped(out.Used, recalledHit), lists.Mapped(out.Facts, RecalledFact), lists.Mapped(out.Files, likelyPath))
}

// waitingEvery is how often the line after a prompt mentions waiting proposals.
const waitingEvery = 24 * time.Hour

// withWaiting adds to the line for the user, once a day, that proposals wait.
func (s *sessionMemory) withWaiting(line string) string {
	mark := filepath.Join(s.Repo.State(), "proposals.said")
	if info, err := os.Lstat(mark); err == nil && s.ev.At.Sub(info.ModTime()).Abs() < waitingEvery {
		return line
	}
	if _, err := os.Lstat(purge.ProposalsFile(s.Repo)); err != nil {
		return line
	}
	p, err := propose.ReadProposals(s.Repo)
	if err != nil || len(p.Waiting) == 0 || touch(mark, s.ev.At) != nil {
		return line
	}
	waits := "waits"
	if len(p.Waiting) > 1 {
		waits = "wait"
	}
	if line == "" {
		line = "AgentFlow: "
	} else {
		line += "; "
	}
	return fmt.Sprintf("%s%s %s: agentflow review", line, plural.Count(len(p.Waiting), "proposal"), waits)
}

// shownLine describes in a few words the memory that a prompt got.
func shownLine(out prompt.Output) string {
	return "AgentFlow: " + run.RecalledWords(len(out.Facts)+len(out.Notes), len(out.Files), len(out.Used), out.Tokens)
}

// recallInTime is recallPart within the deadline, even if a part of it ignores its context.
// Such a part runs until the process ends. Slow reports that the prompt got only a part of its
// memory, or nothing, which is no failure.
func (s *sessionMemory) recallInTime(ctx context.Context) (out prompt.Output, slow bool, err error) {
	type answer struct {
		out  prompt.Output
		slow bool
		err  error
	}
	ctx, cancel := context.WithTimeout(ctx, s.Repo.Settings.Session.Deadline)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		out, slow, err := s.recallPart(ctx)
		done <- answer{out, slow, err}
	}()
	select {
	case a := <-done:
		return a.out, a.slow, a.err
	case <-ctx.Done():
		return prompt.Output{}, true, nil
	}
}

// recallPart returns the memory for the prompt.
func (s *sessionMemory) recallPart(ctx context.Context) (out prompt.Output, slow bool, err error) {
	out, found, degraded, err := PartFor(ctx, s.Repo, s.ev.Prompt, PartOf{Agent: s.ev.Agent, Session: s.ev.Session, Shown: s.folder.Shown()})
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) { // the lines may say only that
		return out, true, nil
	}
	behind := slices.ContainsFunc(degraded, indexes.IsBehind)
	s.trouble(slices.DeleteFunc(degraded, indexes.IsBehind)...)
	return out, behind || slices.Contains(found.Late, search.OwnName), err
}

// PartOf identifies the session of a prompt.
type PartOf struct {
	Agent   string
	Session string // its id; empty: a new one
	Shown   turns.Shown
}

// PartFor returns the memory for a prompt of a session. It leaves out what the
// session was shown or did itself, and read, which the agent reads elsewhere.
func PartFor(ctx context.Context, s *app.Repo, text string, of PartOf) (out prompt.Output, read executor.Known, degraded []string, err error) {
	shown := of.Shown
	set := s.Settings
	found, err := recall.Recaller{Mem: s, Top: set.Recall.Top, Agent: of.Agent}.Recall(ctx, memory.Head(text, executor.MaxQuery))
	degraded = found.Degraded
	if err != nil {
		return out, found, degraded, err
	}
	if prompt.IsFollowUp(text) {
		found.Hits, found.Files = nil, nil
	}
	some, named := len(found.Hits) > 0, shown.Names
	known := found.Known
	known.Hits = slices.DeleteFunc(known.Hits, func(h retrieval.Hit) bool {
		return shown.Has(recalledHit(h)) || isOwn(ctx, s, h, of.Session) || h.Kind == memory.KindNote && shown.HasWithin(h.Path, h.StartLine, h.EndLine)
	})
	if some && len(known.Hits) == 0 { // the session has all that speaks for the files
		named = func(string) bool { return true }
	}
	known.Hits = likeliest(known.Hits, partTop)
	known.Notes = nil // the session's start had them
	var seen []prompt.Fact
	known.Facts = slices.DeleteFunc(found.Facts, func(f prompt.Fact) bool {
		if shown.Has(RecalledFact(f)) {
			seen = append(seen, f)
			return true
		}
		return !standing.Missed(f, set.Recall.Gate) || of.Session != "" && f.Session == of.Session && !shown.Forgot
	})
	limits := recall.Limits(s)
	limits.Budget, limits.Top = set.Session.RecallTokens, min(limits.Top, partTop)
	return prompt.Part(prompt.Input{Task: text, Known: known, Limits: limits, Seen: seen, Named: named, Now: time.Now(), Again: shown.Any()}), found, degraded, nil
}

// isOwn reports whether a hit is about the work of the session, which is already in the
// session's conversation or its summary.
func isOwn(ctx context.Context, s *app.Repo, h retrieval.Hit, session string) bool {
	if session == "" || h.Author != "" || h.Repository != "" {
		return false
	}
	switch h.Kind {
	case memory.KindSession:
		e, err := lookup.LookUpEntry(ctx, s, h.EntryID)
		return err == nil && e.Session == session
	case memory.KindNote:
		return strings.Contains(h.Text, "session="+session)
	}
	return false
}

// partTop is how many entries one prompt of a session gets. A session has many prompts, and
// earlier entries stay in its conversation.
const partTop = 2

// likeliest keeps the n entries that are most likely useful, and all other hits.
func likeliest(hits []retrieval.Hit, n int) []retrieval.Hit {
	others := slices.DeleteFunc(slices.Clone(hits), func(h retrieval.Hit) bool { return h.Kind == "" || h.Kind == memory.KindNote })
	slices.SortStableFunc(others, func(a, b retrieval.Hit) int { return cmp.Compare(b.Score, a.Score) })
	others = others[min(n, len(others)):]
	return slices.DeleteFunc(hits, func(h retrieval.Hit) bool { return recall.Holds(others, h) })
}

func recalledHit(h retrieval.Hit) runfolder.RecalledItem {
	return runfolder.RecalledItem{ID: h.EntryID, Source: h.Source, Path: h.Path, Line: h.StartLine, Title: h.Heading}
}

func likelyPath(f retrieval.LikelyFile) string { return f.Path }

// RecalledFact returns the record of a fact that a session was shown.
func RecalledFact(f prompt.Fact) runfolder.RecalledItem {
	return runfolder.RecalledItem{ID: f.ID, Path: f.Path, Line: f.Line}
}
