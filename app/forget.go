package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/writeback"
)

// ForgetRequest selects the items to forget: by id, or by Query, Tags, Before and
// Namespace, which narrow each other. Namespace and Type narrow the choice to facts;
// Type chooses nothing by itself. A choice does not include pinned items.
type ForgetRequest struct {
	IDs       []string        // ids, ends of ids, "last", or files of memory without entries and facts: memory/notes/plan.md
	Query     string          // items that a search for this task finds
	Limit     int             // of Query, at most this many hits; 0: 10
	Tags      []string        // facts with each of these tags
	Before    time.Time       // items older than this; zero: any age
	Type      memory.FactType // only facts of this type
	Namespace string          // only facts of this namespace: project, branch, branch/NAME, run/ID, team or global
	Purge     bool            // remove the text from every store, so that nothing brings it back

	agent *Agent // the agent that forgets; nil: a person
}

func (r *ForgetRequest) chooses() bool {
	return r.Query != "" || len(r.Tags) > 0 || !r.Before.IsZero() || r.Namespace != ""
}

// Others counts the targets that other people share, and those that other machines of the user share. The machines
// forget them too.
func (p ForgetPlan) Others() (people, machines int) {
	for _, t := range p.Targets {
		switch {
		case t.Author != "" && t.global:
			machines++
		case t.Author != "":
			people++
		}
	}
	return people, machines
}

// ForgetPlan lists the items that a request would take out of memory.
type ForgetPlan struct {
	Targets  []ForgetTarget
	Pinned   int // number of pinned items that the request also matches
	Purge    bool
	Quoting  []string // with Purge: files outside memory that quote the targets; the purge removes the quotes
	Degraded []string

	byAgent bool // no person asked for it: 'memory undo' without an id does not take it back
}

// ForgetTarget is an entry, a fact or a file as the plan saw it.
type ForgetTarget struct {
	api.ForgetTarget
	global bool           // in the user's own memory
	fact   *memory.Fact   // nil unless the target is a fact
	entry  []byte         // Markdown of an entry; nil for other targets
	file   *forgottenFile // nil unless the target is a file
}

// Where returns the place of the target in the form that Locator accepts.
func (t ForgetTarget) Where() string {
	if t.global {
		return memory.GlobalLabel + t.Place
	}
	return t.Place
}

// JSON returns the plan as the object of a dry run.
func (p ForgetPlan) JSON() api.Forgotten {
	return api.Forgotten{Forgotten: []string{}, Hidden: []string{}, Cleaned: filled(p.Quoting), Left: []api.Unreached{}, Purged: p.Purge, DryRun: true, Pinned: p.Pinned,
		Memories: mapped(p.Targets, func(t ForgetTarget) api.ForgetTarget { return t.ForgetTarget })}
}

// ForgetResult lists the items that left memory.
type ForgetResult struct {
	Forgotten api.Forgotten
	Degraded  []string
}

// ErrPlanChanged reports that memory changed since the plan was made: plan again.
var ErrPlanChanged = errors.New("memory was edited since this was planned")

// PlanForget lists the items that a request would take out, and changes nothing. Errors have KindUsage, KindNoPlace,
// KindNotFound or KindRefused.
func PlanForget(ctx context.Context, m *Memory, req ForgetRequest) (plan ForgetPlan, err error) {
	o := m.begin(ctx)
	defer o.end(&plan.Degraded, &err)
	s, c, err := openToForget(ctx, o, req)
	if err != nil {
		return plan, err
	}
	if req.chooses() {
		plan.Targets, plan.Pinned, err = choose(ctx, s, c)
	} else {
		plan.Targets, err = targetsOf(ctx, s, req)
	}
	if plan.Purge = req.Purge; err == nil && req.Purge {
		plan.Quoting, err = quoting(ctx, s, plan.Targets)
	}
	return plan, err
}

// targetsOf finds the targets of the ids and files that a request names.
func targetsOf(ctx context.Context, s *openMemory, req ForgetRequest) (targets []ForgetTarget, err error) {
	for _, ref := range req.IDs {
		if name, ok := fileRef(ref); ok {
			file, err := fileTarget(ctx, s, name)
			if err == nil && file != nil && req.agent != nil {
				err = refusedToAgents(file.ID, "it is a file of notes, which the memory tool changes")
			}
			if err != nil {
				return nil, err
			}
			if ref = memory.WholeFile(name); file != nil {
				targets = append(targets, *file)
				continue
			}
		}
		home, f, err := findAnywhere(ctx, s, ref)
		if err != nil && req.Purge {
			f, err = findLost(ctx, home, ref, err)
		}
		if err == nil {
			err = req.agent.mayChange(home, f)
		}
		if err == nil && home.team != nil && f.Author != "" { // hiding a fact works in one clone only
			err = &Error{Kind: KindRefused, Err: fmt.Errorf("forgetting %s: %s shares it from a clone of their own", memory.ShortID(f.ID), quote.Name(f.Author)),
				Hint: "'agentflow forget' there, and its next sync, take it back for all"}
		}
		if err != nil {
			return nil, err
		}
		if req.agent != nil && f.Fact == nil { // text that a person added to the note stays
			f.Fact, f.ID = &f.Facts[0].Fact, f.Facts[0].ID
		}
		if !slices.ContainsFunc(targets, func(t ForgetTarget) bool { return t.ID == f.ID }) {
			targets = append(targets, forgetTarget(home, f, memory.Hit{}))
		}
	}
	return targets, nil
}

func forgetTarget(s *openMemory, f storedItem, hit memory.Hit) ForgetTarget {
	t := ForgetTarget{api.ForgetTarget{ID: f.ID, Kind: "fact", Place: f.place(), Author: f.Author, Score: hit.Score, RankScore: hit.RankScore}, s.isGlobal(), f.Fact, nil, nil}
	if f.Fact != nil {
		t.Text = f.Fact.Text
	} else {
		t.Kind, t.Text, t.entry = string(f.Entry.Kind), titleOf(f.Entry), f.Raw
	}
	return t
}

// findLost looks for an entry that is only in the write-ahead log because it was forgotten or vanished. Its text can
// still be purged. findLost returns missing if the log has no such entry.
func findLost(ctx context.Context, s *openMemory, ref string, missing error) (storedItem, error) {
	lost, err := s.store.Lost(ctx)
	if err != nil {
		return storedItem{}, errors.Join(missing, err)
	}
	var hits []storedItem
	for _, l := range lost {
		if endsID(l.ID, ref) || l.ID == ref {
			hits = append(hits, storedItem{storedBlock: storedBlock{File: "memory/" + l.File}, ID: l.ID, Fact: &memory.Fact{ID: l.ID, Text: l.Title}})
		}
	}
	if len(hits) == 0 {
		return storedItem{}, missing
	}
	return one(ref, hits)
}

// place returns the lines of the found item: those of the fact, or those of the block.
func (f storedItem) place() string {
	if f.Fact == nil {
		return linesIn(f.File, f.StartLine, f.EndLine)
	}
	for _, at := range f.Facts {
		if at.ID == f.ID {
			return linesIn(f.File, at.StartLine, at.EndLine)
		}
	}
	return f.File
}

// ApplyForget takes the planned items out of memory, as one change of the repository's memory and one of the user's
// own. It hides items that others share, in this clone. If the text of a planned item changed since, it refuses with
// ErrPlanChanged. An item that is already gone is no obstacle. Other errors have KindNoPlace, KindLocked or
// KindInternal.
func ApplyForget(ctx context.Context, m *Memory, plan ForgetPlan) (result ForgetResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	end, err := writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	s, err := o.openOrGlobal(ctx, o.openRecovered)
	if err == nil {
		result.Forgotten, err = forgetPlanned(ctx, s, plan)
	}
	return result, err
}

// forgetPlanned is ApplyForget for an open memory.
func forgetPlanned(ctx context.Context, s *openMemory, plan ForgetPlan) (done api.Forgotten, err error) {
	done = plan.JSON()
	done.DryRun, done.Cleaned = false, []string{}
	traces := traces(s)
	for _, global := range []bool{false, true} {
		targets := slices.DeleteFunc(slices.Clone(plan.Targets), func(t ForgetTarget) bool { return t.global != global })
		if len(targets) == 0 {
			continue
		}
		home := s
		if global && !s.isGlobal() {
			if home, err = openExistingGlobal(ctx, s.operation); err != nil {
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
func forgetTargets(ctx context.Context, s *openMemory, targets []ForgetTarget, plan ForgetPlan, traces writeback.Traces, done *api.Forgotten) error {
	others := slices.DeleteFunc(slices.Clone(targets), func(t ForgetTarget) bool { return t.Author == "" })
	own := slices.DeleteFunc(targets, func(t ForgetTarget) bool { return t.Author != "" })
	if len(own) > 0 {
		var undo *string
		if !plan.byAgent {
			undo = new(string)
		}
		ids, reached, err := forget(ctx, s, own, plan.Purge, traces, undo)
		if err != nil {
			return err
		}
		done.Forgotten = append(done.Forgotten, ids...)
		done.Cleaned = append(done.Cleaned, reached.cleaned...)
		done.Left = append(done.Left, reached.left...)
		if err := retract(ctx, s, plan.Purge, ids); err != nil {
			return err
		}
	}
	if len(others) > 0 {
		done.Hidden = append(done.Hidden, mapped(others, func(t ForgetTarget) string { return t.ID })...)
		return hide(ctx, s, others, plan.Purge)
	}
	return nil
}

// forget takes targets out of one memory and updates its index. A purge also searches traces. If undo is not nil,
// 'memory undo' can take the change back, and undo gets its id. ids are all ids that left memory.
func forget(ctx context.Context, s *openMemory, targets []ForgetTarget, purge bool, traces writeback.Traces, undo *string) (ids []string, reached purged, err error) {
	ids = mapped(targets, func(t ForgetTarget) string { return t.ID })
	var merged []string
	err = s.store.ReviseIn(ctx, func() func(string) bool { return filesAbout(ctx, s, ids) }, func(files map[string][]byte) (writeback.Change, error) {
		docs := parseAbout(files, ids)
		if i := slices.IndexFunc(targets, func(t ForgetTarget) bool { return t.changed(docs) || t.edited(files) }); i >= 0 {
			return writeback.Change{}, &Error{Kind: KindRefused, Err: fmt.Errorf("forgetting %s: %w", memory.ShortID(targets[i].ID), ErrPlanChanged), Hint: "look at it again, and repeat the command"}
		}
		c := writeback.Change{Command: "forget", Title: "forgetting of " + forgottenTitle(targets)}
		c.Edits, c.Forget, merged = planRemoval(files, docs, ids)
		c = withFiles(c, targets, files)
		c.Kept = undo
		if purge && len(ids) == 1 { // the purge makes the change
			return writeback.Change{}, nil
		}
		return c, nil
	})
	switch {
	case err != nil:
		return nil, reached, err
	case purge:
		reached, err = purgeIDs(ctx, s, ids, traces)
	default:
		reindex(ctx, s, "forget")
	}
	return append(ids, merged...), reached, err
}

// forgottenTitle names the forgotten items: one by its id, several by their number. A text in the title would outlive a
// purge.
func forgottenTitle(targets []ForgetTarget) string {
	if len(targets) == 1 {
		return memory.ShortID(targets[0].ID)
	}
	return plural.Count(len(targets), "memory")
}

// changed reports whether docs hold the target, and none of its copies is as the plan saw it.
func (t ForgetTarget) changed(docs map[string]*markdown.Document) bool {
	stands := false
	for _, d := range docs {
		for _, b := range d.Blocks {
			if t.entry != nil && b.Entry != nil && b.Entry.ID == t.ID {
				if bytes.Equal(b.Raw, t.entry) {
					return false
				}
				stands = true
			}
			for _, f := range b.Facts {
				if t.fact != nil && f.ID == t.ID {
					if reflect.DeepEqual(f.Fact, *t.fact) {
						return false
					}
					stands = true
				}
			}
		}
	}
	return stands
}
