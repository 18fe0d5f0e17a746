// Package forget finds the items that leave memory, and brings items back.
//
// PlanForget lists the entries, facts and files that a request means, by id or by words, and changes nothing.
// ApplyForget removes them, as one change of each memory, and refuses if one was edited since. It hides items that
// others share, in this clone. Restore writes forgotten and vanished items back from the log. Lost lists them.
// MemoryChanges lists the last changes of memory, and PlanMemoryUndo plans to take one back. ApplyMemoryUndo is in
// package app/propose, because it also restores proposals.
//
// Guarantees: forgotten items are not recorded, imported or extracted again, until a person restores or repeats
// them. An undo removes a change from the current files by facts and lines, and refuses if they were edited since in
// the same place. Without an id, the undo takes back a change of a person or a command, never one of an agent.
//
// Not guaranteed: a purged item cannot be restored. The log keeps the last ten changes of each command, within a
// limit of size, so that changes by agents do not displace those of people. Earlier ones cannot be taken back.
package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/app/purge"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
	"agentflow/writeback"
)

// Request selects the items to forget: by id, or by Query, Tags, Before and
// Namespace, which narrow each other. Namespace and Type narrow the choice to facts;
// Type chooses nothing by itself. A choice does not include pinned items.
type Request struct {
	IDs       []string        // ids, ends of ids, "last", or files of memory without entries and facts: memory/notes/plan.md
	Query     string          // items that a search for this task finds
	Limit     int             // of Query, at most this many hits; 0: 10
	Tags      []string        // facts with each of these tags
	Before    time.Time       // items older than this; zero: any age
	Type      memory.FactType // only facts of this type
	Namespace string          // only facts of this namespace: project, branch, branch/NAME, run/ID, team or global
	Purge     bool            // remove the text from every store, so that nothing brings it back

	Agent *fact.Agent // the agent that forgets; nil: a person
}

func (r *Request) chooses() bool {
	return r.Query != "" || len(r.Tags) > 0 || !r.Before.IsZero() || r.Namespace != ""
}

// Others counts the targets that other people share, and those that other machines of the user share. The machines
// forget them too.
func (p Plan) Others() (people, machines int) {
	for _, t := range p.Targets {
		switch {
		case t.Author != "" && t.Global:
			machines++
		case t.Author != "":
			people++
		}
	}
	return people, machines
}

// Plan lists the items that a request would take out of memory.
type Plan struct {
	Targets  []purge.ForgetTarget
	Pinned   int // number of pinned items that the request also matches
	Purge    bool
	Quoting  []string // with Purge: files outside memory that quote the targets; the purge removes the quotes
	Degraded []string

	ByAgent bool // no person asked for it: 'memory undo' without an id does not take it back
}

// OneMemory reports whether all targets are in one memory: the repository's, or the user's own.
func (p Plan) OneMemory() bool {
	return !slices.ContainsFunc(p.Targets, func(t purge.ForgetTarget) bool { return t.Global != p.Targets[0].Global })
}

// JSON returns the plan as the object of a dry run.
func (p Plan) JSON() api.Forgotten {
	return api.Forgotten{Forgotten: []string{}, Hidden: []string{}, Cleaned: lists.Filled(p.Quoting), Left: []api.Unreached{}, Purged: p.Purge, DryRun: true, Pinned: p.Pinned,
		Memories: lists.Mapped(p.Targets, func(t purge.ForgetTarget) api.ForgetTarget { return t.ForgetTarget })}
}

// PlanForget lists the items that a request would take out, and changes nothing. Errors have KindUsage, KindNoPlace,
// KindNotFound or KindRefused.
func PlanForget(ctx context.Context, m *app.Memory, req Request) (plan Plan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	s, c, err := openToForget(ctx, o, req)
	if err != nil {
		return plan, err
	}
	if req.chooses() {
		plan.Targets, plan.Pinned, err = choose(ctx, s, c)
	} else {
		plan.Targets, err = TargetsOf(ctx, s, req)
	}
	if plan.Purge = req.Purge; err == nil && req.Purge {
		plan.Quoting, err = purge.Quoting(ctx, s, plan.Targets)
	}
	return plan, err
}

// TargetsOf finds the targets of the ids and files that a request names.
func TargetsOf(ctx context.Context, s *app.Repo, req Request) (targets []purge.ForgetTarget, err error) {
	for _, ref := range req.IDs {
		if name, ok := purge.FileRef(ref); ok {
			file, err := purge.FileTarget(ctx, s, name)
			if err == nil && file != nil && req.Agent != nil {
				err = fact.RefusedToAgents(file.ID, "it is a file of notes, which the memory tool changes")
			}
			if err != nil {
				return nil, err
			}
			if ref = memory.WholeFile(name); file != nil {
				targets = append(targets, *file)
				continue
			}
		}
		home, f, err := lookup.FindAnywhere(ctx, s, ref)
		if err != nil && req.Purge {
			f, err = findLost(ctx, home, ref, err)
		}
		if err == nil {
			err = req.Agent.MayChange(home, f)
		}
		if err == nil && !home.Policy.Hides() && f.Author != "" { // hiding a fact works in one clone only
			err = &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("forgetting %s: %s shares it from a clone of their own", memory.ShortID(f.ID), quote.Name(f.Author)),
				Hint: "'agentflow forget' there, and its next sync, take it back for all"}
		}
		if err != nil {
			return nil, err
		}
		if req.Agent != nil && f.Fact == nil { // text that a person added to the note stays
			f.Fact, f.ID = &f.Facts[0].Fact, f.Facts[0].ID
		}
		if !slices.ContainsFunc(targets, func(t purge.ForgetTarget) bool { return t.ID == f.ID }) {
			targets = append(targets, purge.NewForgetTarget(home, f, retrieval.Hit{}))
		}
	}
	return targets, nil
}

// findLost looks for an entry that is only in the write-ahead log because it was forgotten or vanished. Its text can
// still be purged. findLost returns missing if the log has no such entry.
func findLost(ctx context.Context, s *app.Repo, ref string, missing error) (lookup.StoredItem, error) {
	lost, err := s.Store.Lost(ctx)
	if err != nil {
		return lookup.StoredItem{}, errors.Join(missing, err)
	}
	var hits []lookup.StoredItem
	for _, l := range lost {
		if share.EndsID(l.ID, ref) || l.ID == ref {
			hits = append(hits, lookup.StoredItem{StoredBlock: lookup.StoredBlock{File: "memory/" + l.File}, ID: l.ID, Fact: &memory.Fact{ID: l.ID, Text: l.Title}})
		}
	}
	if len(hits) == 0 {
		return lookup.StoredItem{}, missing
	}
	return lookup.One(ref, hits)
}

// ApplyForget takes the planned items out of memory, as one change of the repository's memory and one of the user's
// own. It hides items that others share, in this clone. If the text of a planned item changed since, it refuses with
// ErrPlanChanged. An item that is already gone is no obstacle. Other errors have KindNoPlace, KindLocked or
// KindInternal.
func ApplyForget(ctx context.Context, m *app.Memory, plan Plan) (result purge.ForgetResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	end, err := app.Writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	s, err := o.OpenOrGlobal(ctx, o.OpenRecovered)
	if err == nil {
		result.Forgotten, err = ForgetPlanned(ctx, s, plan)
	}
	return result, err
}

// ForgetPlanned is ApplyForget for an open memory.
func ForgetPlanned(ctx context.Context, s *app.Repo, plan Plan) (done api.Forgotten, err error) {
	done = plan.JSON()
	done.DryRun, done.Cleaned = false, []string{}
	traces := purge.Traces(s)
	for _, global := range []bool{false, true} {
		targets := slices.DeleteFunc(slices.Clone(plan.Targets), func(t purge.ForgetTarget) bool { return t.Global != global })
		if len(targets) == 0 {
			continue
		}
		home := s
		if global && !s.IsGlobal() {
			if home, err = app.OpenExistingGlobal(ctx, s.Operation); err != nil {
				return done, err
			}
		}
		if err := forgetTargets(ctx, home, targets, plan, traces, &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

// forgetTargets forgets the memory's items, including those it shares, and hides the items that others share.
func forgetTargets(ctx context.Context, s *app.Repo, targets []purge.ForgetTarget, plan Plan, traces writeback.Traces, done *api.Forgotten) error {
	others := slices.DeleteFunc(slices.Clone(targets), func(t purge.ForgetTarget) bool { return t.Author == "" })
	own := slices.DeleteFunc(targets, func(t purge.ForgetTarget) bool { return t.Author != "" })
	if len(own) > 0 {
		var undo *string
		if !plan.ByAgent {
			undo = new(string)
		}
		ids, reached, err := purge.Forget(ctx, s, own, plan.Purge, traces, undo)
		if err != nil {
			return err
		}
		done.Forgotten = append(done.Forgotten, ids...)
		done.Cleaned = append(done.Cleaned, reached.Cleaned...)
		done.Left = append(done.Left, reached.Left...)
		if err := share.Retract(ctx, s, plan.Purge, ids); err != nil {
			return err
		}
	}
	if len(others) > 0 {
		done.Hidden = append(done.Hidden, lists.Mapped(others, func(t purge.ForgetTarget) string { return t.ID })...)
		return share.Hide(ctx, s, others, plan.Purge)
	}
	return nil
}
