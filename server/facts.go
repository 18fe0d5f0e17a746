package server

import (
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/memory"
)

// FactFields are the attributes of a fact. An attribute that is left out is not
// set or changed.
type FactFields struct {
	Text       *string          `json:"text,omitempty" doc:"at most 65536 bytes"`
	Type       *memory.FactType `json:"type,omitempty" doc:"semantic, episodic or procedural"`
	Importance *float64         `json:"importance,omitempty" doc:"0 to 1"`
	Confidence *float64         `json:"confidence,omitempty" doc:"0 to 1; 0: not stated"`
	Tags       *[]string        `json:"tags,omitempty" doc:"at most 50"`
	Key        *string          `json:"key,omitempty" doc:"what the fact is about; at most 200 characters"`
	Category   *string          `json:"category,omitempty" doc:"at most 200 characters"`
	Namespace  *string          `json:"namespace,omitempty" doc:"project, branch, branch/NAME, run/ID, team or global"`
	Paths      *[]string        `json:"paths,omitempty" doc:"patterns of the files that the fact is about, such as web/**: it is shown only for work there; at most 20 of at most 200 characters"`
	Expires    *string          `json:"expires,omitempty" doc:"a time (RFC 3339), a date or a duration from now such as 30d; empty: never"`
}

func (f FactFields) change() (fact.Change, error) {
	c := fact.Change{Text: f.Text, Type: f.Type, Importance: f.Importance, Confidence: f.Confidence, Tags: f.Tags, Key: f.Key, Category: f.Category, Namespace: f.Namespace, Paths: f.Paths}
	if f.Expires == nil {
		return c, nil
	}
	i := slices.IndexFunc(fact.Attributes, func(a fact.Attribute) bool { return a.Name == "expires" })
	if err := fact.Attributes[i].Set(&c, *f.Expires, time.Now()); err != nil {
		return c, usagef("expires: %w", err)
	}
	return c, nil
}

// NewFact is a fact to remember.
type NewFact struct {
	FactFields
	Parts      *memory.Parts `json:"parts,omitempty" doc:"of an event or a procedure; they are written after the text"`
	Supersedes id            `json:"supersedes,omitempty" doc:"id of the fact that it replaces"`
}

// Remembered is the result of remembering a fact.
type Remembered struct {
	api.Remembered
	Repository string   `json:"repository"`
	Redacted   bool     `json:"redacted"` // something that looks like a secret was removed from the text
	Degraded   []string `json:"degraded"`
}

func remember(ctx context.Context, c call, in NewFact) (out Remembered, err error) {
	req := fact.RememberRequest{Supersedes: string(in.Supersedes)}
	if req.Change, err = in.change(); err != nil {
		return out, err
	}
	if in.Parts != nil {
		req.Parts = *in.Parts
	}
	if in.Supersedes != "" && in.Supersedes.check() != nil {
		return out, usagef("supersedes: %q is no id", in.Supersedes)
	}
	res, err := fact.Remember(ctx, c.Memory, req)
	return Remembered{res.Fact, c.Name, res.Redacted, res.Degraded}, err
}

// OneFact identifies a fact.
type OneFact struct {
	ID id `path:"id" json:"-" doc:"its id, or the last 4 or more digits of it"`
}

// Fact is a fact with its state.
type Fact struct {
	api.Fact
	State      string   `json:"state"` // live, struck or expired; followed by ", pinned" if it is
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func showFact(ctx context.Context, c call, in OneFact) (out Fact, err error) {
	res, err := list.Show(ctx, c.Memory, list.ShowRequest{Ref: string(in.ID)})
	switch {
	case err != nil:
		return out, err
	case res.Fact == nil:
		return out, notFact(in.ID)
	}
	return Fact{filledFact(res.Fact.Fact), res.Fact.State, c.Name, res.Degraded}, nil
}

func notFact(i id) error {
	return &app.Error{Kind: app.KindNotFound, Err: usagef("%s is an entry and no fact", i), Hint: "GET " + entries + "/" + string(i)}
}

func filledFact(f api.Fact) api.Fact {
	if f.Tags == nil {
		f.Tags = []string{}
	}
	return f
}

// ChangedFact is a change of one fact.
type ChangedFact struct {
	OneFact
	FactFields
}

// EditedFact is a fact after a change.
type EditedFact struct {
	api.Fact
	Changed    bool     `json:"changed"` // false if the change made no difference
	Others     []string `json:"others"`  // places of other facts with its id, which were not changed
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func editFact(ctx context.Context, c call, in ChangedFact) (out EditedFact, err error) {
	change, err := in.change()
	if err != nil {
		return out, err
	}
	res, err := fact.Edit(ctx, c.Memory, fact.EditRequest{ID: string(in.ID), Change: change})
	return EditedFact{filledFact(res.Fact), res.Changed, append([]string{}, res.Others...), c.Name, res.Degraded}, err
}

// Forgotten lists what was removed from memory.
type Forgotten struct {
	api.Forgotten
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func forgetFact(ctx context.Context, c call, in OneFact) (out Forgotten, err error) {
	plan, err := forget.PlanForget(ctx, c.Memory, forget.Request{IDs: []string{string(in.ID)}})
	if err != nil {
		return out, err
	}
	for _, t := range plan.Targets {
		if t.Kind != "fact" && t.Kind != string(memory.KindNote) {
			return out, notFact(in.ID)
		}
	}
	res, err := forget.ApplyForget(ctx, c.Memory, plan)
	return Forgotten{res.Forgotten, c.Name, append(plan.Degraded, res.Degraded...)}, err
}

// Restored lists what was restored.
type Restored struct {
	api.Restored
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func restoreFact(ctx context.Context, c call, in OneFact) (Restored, error) {
	res, err := forget.Restore(ctx, c.Memory, forget.RestoreRequest{IDs: []string{string(in.ID)}})
	return Restored{api.Restored{Restored: res.Restored}, c.Name, res.Degraded}, err
}

// Pinned is the result of pinning or unpinning a fact.
type Pinned struct {
	api.Pin
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func pinFact(ctx context.Context, c call, in OneFact) (Pinned, error) { return c.pin(ctx, in.ID, true) }
func unpinFact(ctx context.Context, c call, in OneFact) (Pinned, error) {
	return c.pin(ctx, in.ID, false)
}

func (c call) pin(ctx context.Context, which id, pinned bool) (out Pinned, err error) {
	res, err := fact.Pin(ctx, c.Memory, fact.PinRequest{IDs: []string{string(which)}, Pinned: pinned})
	if err != nil {
		return out, err
	}
	return Pinned{res.Pins[0], c.Name, res.Degraded}, nil
}

// Lost lists what can be restored.
type Lost struct {
	Lost       []api.Entry `json:"lost"`
	Repository string      `json:"repository"`
	Degraded   []string    `json:"degraded"`
}

func lostItems(ctx context.Context, c call, _ empty) (Lost, error) {
	res, err := forget.Lost(ctx, c.Memory)
	return Lost{res.Lost, c.Name, res.Degraded}, err
}

// SimilarTo requests facts and entries similar to one.
type SimilarTo struct {
	OneFact
	Limit int `query:"limit" json:"-" doc:"at most this many, 1 to 100; 10 when it is left out"`
}

// Similar lists them, the most similar first.
type Similar struct {
	Similar    []api.Similar `json:"similar"`
	Repository string        `json:"repository"`
	Degraded   []string      `json:"degraded"`
}

func similar(ctx context.Context, c call, in SimilarTo) (Similar, error) {
	if in.Limit == 0 {
		in.Limit = 10
	}
	if in.Limit < 1 || in.Limit > 100 {
		return Similar{}, usagef("limit: want 1 to 100, have %d", in.Limit)
	}
	res, err := fact.Similar(ctx, c.Memory, fact.SimilarRequest{Ref: string(in.ID), Limit: in.Limit})
	return Similar{res.Similar, c.Name, res.Degraded}, err
}
