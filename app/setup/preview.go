package setup

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/recall"
	"agentflow/app/session"
	"agentflow/executor/runfolder"
	"agentflow/executor/turns"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/prompt"
)

// PreviewRequest asks for the text that memory would give the next session in the repository.
type PreviewRequest struct {
	Task string // its first prompt; empty: only the start of the session
}

// PreviewResult is the text that memory would give the session.
type PreviewResult struct {
	api.Preview
	Degraded []string // failures that did not stop the operation, one per line; never nil
}

// Preview returns the text that memory would show a session of the default agent if it began now, and the text that it
// would add to the session's first prompt. It changes nothing. A repository without a memory has an empty preview.
func Preview(ctx context.Context, m *app.Memory, req PreviewRequest) (res PreviewResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Start = api.SessionStart{Facts: []api.RecalledFact{}, Work: []api.RecentWork{}, Read: []api.ReadFact{}, More: []api.RecalledFact{}}
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return res, err
	}
	in, read, late, degraded := session.Start(ctx, s, session.StartOf{At: time.Now(), Agent: s.Settings.Agent, Tools: true})
	for _, name := range late {
		degraded = append(degraded, "too late: "+name)
	}
	begun := in.Begin()
	res.Start = startObject(begun)
	res.Start.Read = lists.Filled(recall.ReadFacts(read, true))
	shown := slices.Concat(begun.Facts, begun.Notes)
	res.Start.More = unfit(in, shown)
	s.Degraded("preview", degraded)
	if strings.TrimSpace(req.Task) == "" {
		return res, nil
	}
	out, found, degraded, err := session.PartFor(ctx, s, req.Task, session.PartOf{Agent: s.Settings.Agent, Shown: turns.Before(lists.Mapped(shown, session.RecalledFact))})
	s.Degraded("preview", degraded)
	if err == nil {
		part := recall.Object(out, true)
		for _, r := range found.ReadHits {
			part.Unused = append(part.Unused, recall.UnusedHit(r.Hit, r.File+" says it"))
		}
		res.Prompt = &part
		res.Start.More = unfit(in, slices.Concat(shown, out.Facts, out.Notes))
	}
	return res, err
}

// unfit returns the facts that a session without a budget would begin with, except those that are shown.
func unfit(in prompt.SessionStart, shown []prompt.Fact) []api.RecalledFact {
	in.Budget, in.Standing = math.MaxInt32, math.MaxInt32
	roomy := in.Begin()
	return recall.RecalledFacts(without(roomy.Facts, shown), without(roomy.Notes, shown))
}

// without returns the facts of a list that are not shown.
func without(list, shown []prompt.Fact) []prompt.Fact {
	seen := map[runfolder.RecalledItem]bool{}
	for _, f := range shown {
		seen[session.RecalledFact(f)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(f prompt.Fact) bool { return seen[session.RecalledFact(f)] })
}

func startObject(b prompt.Beginning) api.SessionStart {
	o := api.SessionStart{Text: b.Text, Tokens: memory.Tokens(b.Text), Facts: recall.RecalledFacts(b.Facts, b.Notes), Work: []api.RecentWork{}}
	for _, w := range b.Work {
		o.Work = append(o.Work, api.RecentWork{ID: w.Ref, Time: w.Time, Title: w.Title, Failed: w.Failed, Denied: w.Denied, Files: w.Files})
	}
	return o
}
