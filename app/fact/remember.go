package fact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// RememberRequest is a fact to put into memory.
type RememberRequest struct {
	Change              // its Text and Parts must not both be empty
	Parts  memory.Parts // appended to the text; they also determine the fact's type
	// Supersedes is the fact that the new one replaces: an id, the end of one, or "last"; empty: none. The new fact
	// takes the attributes of the replaced one that Change does not set, and goes to the same memory.
	Supersedes string

	Agent  *Agent // the agent that stores the fact; nil: a person
	Reason string // the sentence that proposed it; empty: none
}

// RememberResult describes the stored fact.
type RememberResult struct {
	Fact     api.Remembered
	Place    string             // a file as an absolute path, or memory/FILE:LINE of a fact that existed before
	SameKey  []lookup.OtherFact // the other live facts with its key
	Restated bool               // memory held the fact as an agent's or for fewer files, and now holds it as the request states it
	Redacted bool               // the text held a likely secret
	Struck   string             // id of the replaced fact; empty: none
	Degraded []string
}

// Remember writes a fact as a separate note entry, and strikes the replaced fact in the same change. It does not write
// a fact that the namespace already holds: the store checks under its lock, so that only one of many concurrent callers
// writes. Secrets are redacted.
//
// Errors have KindUsage, KindNoPlace, KindNotFound (there is no fact Supersedes), KindRefused (it is struck),
// KindLocked or KindNotRecorded.
func Remember(ctx context.Context, m *app.Memory, req RememberRequest) (result RememberResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	end, err := app.Writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	return RememberIn(ctx, o, req, o.OpenToWrite)
}

// RememberIn is Remember within an operation that may write. open opens the repository's memory.
func RememberIn(ctx context.Context, o *app.Operation, req RememberRequest, open app.Opening) (result RememberResult, err error) {
	now := time.Now()
	s, fact, err := newFact(ctx, o, req, open, now)
	if err != nil {
		return result, err
	}
	fact.Reason = strings.Join(strings.Fields(req.Reason), " ")
	clean := fact.Redacted(s.Redact.Text)
	result.Redacted = redact.Marks(clean.Text) > redact.Marks(fact.Text)
	clean.Created = now
	req.Agent.sign(o, &clean, s.Redact.Text)
	clean.Person = cmp.Or(o.Policy.Person, clean.Person)
	if err := req.Agent.mayStore(ctx, s, clean); err != nil {
		return result, err
	}
	meta := writeback.Meta{Worktree: s.Linked, Undo: req.Agent == nil}
	if repo, err := s.Repo(ctx); err == nil {
		meta.Branch, clean.Commit, _ = repo.Head(ctx)
		meta.Base = clean.Commit
	}
	write := s.Store.Remember
	if clean.Supersedes != "" {
		write = s.Store.Supersede
	}
	done, err := write(ctx, clean, now, meta)
	switch standing := done.Existing; {
	case err != nil && clean.Supersedes == "":
		return result, app.NotRecorded(err)
	case err != nil:
		return result, err
	case standing != nil:
		at := lookup.StoredBlock{File: path.Join(filepath.Base(s.Memory()), standing.File), Path: filepath.Join(s.Memory(), filepath.FromSlash(standing.File))}
		k := lookup.FactAt(s, at, markdown.FactAt{Fact: standing.Fact, StartLine: standing.StartLine, EndLine: standing.EndLine})
		result.Fact, result.Place = api.Remembered{Fact: k.Object(), Existing: true}, lookup.Named(s, k.Place())
		fact, fact.ID = clean, standing.ID
		if done.Struck {
			result.Struck = clean.Supersedes
			share.FinishWrite(ctx, s, "remember", fact.ID)
		}
		if req.Agent == nil {
			err = restated(ctx, s, &result, fact.ID, clean.Paths)
		}
	default:
		fact = done.Entry.Facts[0].Normal()
		result.Struck, result.Fact, result.Place = fact.Supersedes, api.Remembered{Fact: api.NewFact(fact)}, done.File
		share.FinishWrite(ctx, s, "remember", fact.ID)
	}
	result.SameKey = sameKey(ctx, s, fact, now)
	result.Fact.SameKey = lists.Mapped(result.SameKey, func(f lookup.OtherFact) string { return f.ID })
	if req.Agent == nil {
		result.Fact.Close = lookup.CloseFacts(ctx, s, fact, now)
	}
	return result, err
}

// restated updates the result for a fact that memory held already.
func restated(ctx context.Context, s *app.Repo, result *RememberResult, id string, paths []string) error {
	f, changed, err := restate(ctx, s, id, paths)
	if changed {
		result.Restated = true
		f.File, f.Line = result.Fact.File, result.Fact.Line
		result.Fact.Fact = f
	}
	return err
}

// join combines the text and the parts into one text, and sets the type that the parts imply.
func (r *RememberRequest) join() error {
	p, implied := r.Parts, memory.FactType("")
	if p.Situation+p.Action+p.Outcome+p.Learnings != "" {
		implied = memory.Episodic
	}
	if p.Name+p.Triggers != "" || len(p.Steps) > 0 {
		if implied != "" {
			return app.Usagef("situation, action, outcome and learnings are of something that happened, name, steps and triggers of a way to do something: give one kind")
		}
		implied = memory.Procedural
	}
	switch {
	case implied == "":
		return nil
	case r.Type != nil && *r.Type != implied:
		return app.Usagef("type %s does not go with these parts: they are of something %s", *r.Type, implied)
	case r.Text != nil:
		p.Text = *r.Text
	}
	text := p.String()
	r.Text, r.Type = &text, &implied
	return nil
}

// newFact checks the request, opens the memory for the fact, and completes the fact.
func newFact(ctx context.Context, o *app.Operation, req RememberRequest, open app.Opening, now time.Time) (s *app.Repo, fact memory.Fact, err error) {
	if err := req.join(); err != nil {
		return nil, fact, err
	}
	if req.Change, err = req.Agent.limit(req.Change); err != nil {
		return nil, fact, err
	}
	fact, err = req.apply(memory.Fact{Type: memory.Semantic, Importance: memory.PlainImportance}, now)
	if err == nil {
		err = req.Agent.mayReach(o, req.Change)
	}
	if err != nil {
		return nil, fact, err
	}
	switch fact.Text = strings.TrimSpace(fact.Text); {
	case fact.Text == "":
		return nil, fact, &app.Error{Kind: app.KindUsage, Err: errors.New("the text to remember is empty"), Hint: "see 'agentflow remember --help'"}
	case len(fact.Text) > MaxFactText:
		return nil, fact, app.Usagef("the text to remember is larger than %s", plural.Bytes(MaxFactText))
	}
	if fact.Namespace == memory.GlobalNamespace {
		s, err = o.OpenGlobal(ctx, true)
	} else {
		s, err = open(ctx)
	}
	if err != nil {
		return nil, fact, err
	}
	if req.Supersedes != "" {
		home, old, err := superseded(ctx, s, req.Supersedes, req.Agent)
		if err != nil {
			return nil, fact, err
		}
		if home != s && req.Namespace != nil {
			return nil, fact, app.Usagef("%s is in your own memory: --namespace %s cannot hold what replaces it", memory.ShortID(old.ID), NamespaceText(fact.Namespace))
		}
		like := memory.Fact{Type: old.Type, Importance: old.Importance, Confidence: old.Confidence, Tags: old.Tags,
			Key: old.Key, Category: old.Category, Namespace: old.Namespace, Paths: old.Paths, Supersedes: old.ID}
		if fact, err = req.apply(like, now); err != nil {
			return nil, fact, err
		}
		s, fact.Text = home, strings.TrimSpace(fact.Text)
	}
	fact.Namespace, err = lookup.Completed(ctx, s, fact.Namespace)
	return s, fact, err
}

// superseded finds the fact to replace, and its memory: this one, or else the user's own. agent is the agent that
// stores the new fact, nil for a person.
func superseded(ctx context.Context, s *app.Repo, ref string, agent *Agent) (*app.Repo, memory.Fact, error) {
	home, f, err := lookup.FindAnywhere(ctx, s, ref)
	if err == nil {
		err = f.OthersAlone("superseding")
	}
	if err == nil {
		err = agent.MayChange(home, f)
	}
	if err != nil {
		return nil, memory.Fact{}, err
	}
	if f.Fact == nil {
		if len(f.Facts) != 1 {
			err := app.Usagef("--supersedes: %s is an entry of %s, not a fact", memory.ShortID(f.ID), plural.Count(len(f.Facts), "fact"))
			err.Hint = "'agentflow show " + memory.ShortID(f.ID) + "' shows their ids"
			return nil, memory.Fact{}, err
		}
		f.Fact = &f.Facts[0].Fact
	}
	old := *f.Fact
	if old.Struck {
		by := ""
		if old.SupersededBy != "" {
			by = ", replaced by " + memory.ShortID(old.SupersededBy)
		}
		return nil, memory.Fact{}, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("superseding %s: it is struck already%s", memory.ShortID(old.ID), by)}
	}
	if home.IsGlobal() {
		old.Namespace = memory.GlobalNamespace
	}
	return home, old, nil
}

// sameKey lists the other live facts in f's namespace with its key, and then the facts with that key that others share
// and that state something else.
func sameKey(ctx context.Context, s *app.Repo, f memory.Fact, now time.Time) []lookup.OtherFact {
	if f.Key == "" {
		return nil
	}
	var list []lookup.OtherFact
	for k := range lookup.FactsNamed(ctx, s, digest.ByKey(f.Key)) {
		if k.Key == f.Key && k.ID != f.ID && k.ID != f.Supersedes && k.Namespace == f.Namespace && k.Live(now) {
			list = append(list, lookup.OtherFact{Fact: k.Fact})
		}
	}
	return append(list, lookup.SharedWithKey(ctx, s, f, now)...)
}
