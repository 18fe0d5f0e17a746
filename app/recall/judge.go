package recall

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/purge"
	"agentflow/app/share"
	"agentflow/executor"
	"agentflow/executor/runfolder"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// JudgeRequest names hits that were useless for the runs that received them.
type JudgeRequest struct {
	Hits []string // RUN:N, the run by its id, the end of one, or "last"; N from 1, as show numbers them
}

// JudgeResult holds the recorded judgements.
type JudgeResult struct {
	Judged   []api.Judgement // never nil
	Tasks    []string        // for each judgement: the task that did not need the hit, redacted
	Degraded []string        // failures that did not stop the operation, one per line; never nil
}

// Judge records that hits were useless. They then rank lower for tasks like those of their runs. If a hit gives an
// error, the hits before it are recorded and in the result.
func Judge(ctx context.Context, m *app.Memory, req JudgeRequest) (res JudgeResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	res.Judged = []api.Judgement{}
	end, err := app.Writing(ctx, o)
	if err != nil {
		return res, err
	}
	defer end(&err)
	s, err := o.OpenRecovered(ctx)
	if err != nil {
		return res, err
	}
	for _, ref := range req.Hits {
		j, task, err := judge(ctx, s, ref)
		if err != nil {
			return res, err
		}
		res.Judged, res.Tasks = append(res.Judged, j), append(res.Tasks, task)
	}
	share.FinishWrite(ctx, s, "forget --hit", lists.Mapped(res.Judged, func(j api.Judgement) string { return j.ID })...)
	return res, nil
}

func judge(ctx context.Context, s *app.Repo, ref string) (o api.Judgement, task string, err error) {
	run, n, err := hitRef(ctx, s, ref)
	if err != nil {
		return o, "", err
	}
	recalled, err := executor.ReadRun(s.Runs(), run)
	if errors.Is(err, runfolder.ErrNoFolder) {
		return o, "", &app.Error{Kind: app.KindRefused, Err: err, Hint: "'agentflow forget ID' removes a wrong item from memory"}
	}
	if err != nil {
		return o, "", err
	}
	if n > len(recalled.Hits) {
		return o, "", &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("hit %s: memory put %s in front of run %s", ref, plural.Count(len(recalled.Hits), "hit"), memory.ShortID(run)),
			Hint: fmt.Sprintf("'agentflow show %s' lists them", memory.ShortID(run))}
	}
	h := recalled.Hits[n-1]
	j, known, err := s.Store.Judge(ctx, memory.Judgement{Task: s.Redact.Text(recalled.Task), Entry: h.Thing(), Title: nameOf(ctx, s, h), Run: run})
	return api.Judgement{ID: j.ID, Run: run, Hit: n, Entry: j.Entry, Title: j.Title, Known: known}, j.Task, err
}

// hitRef parses RUN:N. RUN is an id, the end of one, or "last".
func hitRef(ctx context.Context, s *app.Repo, ref string) (run string, n int, err error) {
	at := strings.LastIndexByte(ref, ':')
	if n, err = strconv.Atoi(ref[at+1:]); at < 0 || err != nil || n < 1 {
		return "", 0, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("hit %q: want RUN:N", ref), Hint: "'agentflow show last' numbers the hits of a run; the second is last:2"}
	}
	run, err = lookup.RunID(ctx, s, ref[:at])
	return run, n, err
}

// AddRecalled adds the hits and facts that memory put in front of a run, with their names for people. If the run's
// folder is gone or unreadable, NotRecalled gives the reason.
func AddRecalled(ctx context.Context, s *app.Repo, res *ShowResult) {
	if !res.Run.Kind.ByAgent() {
		return
	}
	r, err := executor.ReadRun(s.Runs(), res.Run.ID)
	if err != nil {
		res.NotRecalled = err.Error()
		return
	}
	judged := judgedOf(s, res.Run.ID)
	shown := func(item runfolder.RecalledItem) api.Shown {
		return api.Shown{ID: item.ID, Source: item.Source, Path: item.Path, Line: item.Line, Title: item.Title, Judged: judged[item.Thing()]}
	}
	res.Run.Recalled, res.Recalled = lists.Mapped(r.Hits, shown), lists.Mapped(r.Hits, func(h runfolder.RecalledItem) string { return nameOf(ctx, s, h) })
	res.Run.Facts, res.RecalledFacts = lists.Mapped(r.Facts, shown), lists.Mapped(r.Facts, func(f runfolder.RecalledItem) string { return factName(ctx, s, f) })
}

// judgedOf returns the ids of the judgements of a run's recalled items, by RecalledItem.Thing.
func judgedOf(s *app.Repo, run string) map[string]string {
	file := filepath.Join(s.Memory(), memory.FeedbackFile)
	text, err := memoryfiles.Read(file)
	if memoryfiles.IsUntrusted(s, file) || safefile.IsAbsent(err) {
		return nil
	}
	if err != nil {
		s.Warn("%v", err)
	}
	ids := map[string]string{}
	for _, j := range markdown.ParseJudgements(text) {
		if j.Run == run {
			ids[j.Entry] = j.ID
		}
	}
	return ids
}

// factName names a fact of MEMORY.md by its current text, as the folder of a run keeps only its place and id.
func factName(ctx context.Context, s *app.Repo, item runfolder.RecalledItem) string {
	if item.ID == "" {
		return "text written by hand"
	}
	if f, err := lookup.Find(ctx, s, item.ID); err == nil && f.Fact != nil {
		return memory.Title(f.Fact.Text)
	}
	return "a fact that memory no longer holds"
}

// nameOf returns the name of a hit for people.
func nameOf(ctx context.Context, s *app.Repo, h runfolder.RecalledItem) string {
	if h.ID == "" {
		if h.Title == "" {
			return fmt.Sprintf("%s:%d", h.Path, h.Line)
		}
		return h.Title
	}
	if _, title, ok := strings.Cut(h.Title, " · "); ok {
		return title
	}
	// A note has no title, and is named by its fact.
	f, err := lookup.Find(ctx, s, h.ID)
	switch {
	case err == nil && f.Fact != nil:
		return memory.Title(f.Fact.Text)
	case err == nil && f.Entry != nil:
		return purge.TitleOf(f.Entry)
	}
	return h.Title
}
