package app

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
	"agentflow/internal/plural"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// RememberRequest is a fact to put into memory.
type RememberRequest struct {
	FactChange              // its Text and Parts must not both be empty
	Parts      memory.Parts // appended to the text; they also determine the fact's type
	// Supersedes is the fact that the new one replaces: an id, the end of one, or "last"; empty: none. The new fact
	// takes the attributes of the replaced one that FactChange does not set, and goes to the same memory.
	Supersedes string

	agent  *Agent // the agent that stores the fact; nil: a person
	reason string // the sentence that proposed it; empty: none
}

// RememberResult describes the stored fact.
type RememberResult struct {
	Fact     api.Remembered
	Place    string      // a file as an absolute path, or memory/FILE:LINE of a fact that existed before
	SameKey  []OtherFact // the other live facts with its key
	Restated bool        // memory held the fact as an agent's or for fewer files, and now holds it as the request states it
	Redacted bool        // the text held a likely secret
	Struck   string      // id of the replaced fact; empty: none
	Degraded []string
}

// OtherFact is another live fact with the same key.
type OtherFact struct {
	memory.Fact
	Author string // the person who shares it; empty: the user's own
}

// Remember writes a fact as a separate note entry, and strikes the replaced fact in the same change. It does not write
// a fact that the namespace already holds: the store checks under its lock, so that only one of many concurrent callers
// writes. Secrets are redacted.
//
// Errors have KindUsage, KindNoPlace, KindNotFound (there is no fact Supersedes), KindRefused (it is struck),
// KindLocked or KindNotRecorded.
func Remember(ctx context.Context, m *Memory, req RememberRequest) (result RememberResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	end, err := writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	return remember(ctx, o, req, o.openToWrite)
}

// remember is Remember within an operation that may write. open opens the repository's memory.
func remember(ctx context.Context, o *operation, req RememberRequest, open opening) (result RememberResult, err error) {
	now := time.Now()
	s, fact, err := newFact(ctx, o, req, open, now)
	if err != nil {
		return result, err
	}
	fact.Reason = strings.Join(strings.Fields(req.reason), " ")
	clean := fact.Redacted(s.redact.Text)
	result.Redacted = redact.Marks(clean.Text) > redact.Marks(fact.Text)
	clean.Created = now
	req.agent.sign(o, &clean, s.redact.Text)
	if o.caller != nil {
		clean.Person = o.caller.Name
	}
	if err := req.agent.mayStore(ctx, s, clean); err != nil {
		return result, err
	}
	meta := writeback.Meta{Worktree: s.Linked, Undo: req.agent == nil}
	if repo, err := s.repo(ctx); err == nil {
		meta.Branch, clean.Commit, _ = repo.Head(ctx)
		meta.Base = clean.Commit
	}
	write := s.store.Remember
	if clean.Supersedes != "" {
		write = s.store.Supersede
	}
	done, err := write(ctx, clean, now, meta)
	switch standing := done.Existing; {
	case err != nil && clean.Supersedes == "":
		return result, notRecorded(err)
	case err != nil:
		return result, err
	case standing != nil:
		at := storedBlock{File: path.Join(filepath.Base(s.Memory()), standing.File), Path: filepath.Join(s.Memory(), filepath.FromSlash(standing.File))}
		k := factAt(s, at, markdown.FactAt{Fact: standing.Fact, StartLine: standing.StartLine, EndLine: standing.EndLine})
		result.Fact, result.Place = api.Remembered{Fact: k.object(), Existing: true}, named(s, k.place())
		fact, fact.ID = clean, standing.ID
		if done.Struck {
			result.Struck = clean.Supersedes
			finishWrite(ctx, s, "remember", fact.ID)
		}
		if req.agent == nil {
			err = restated(ctx, s, &result, fact.ID, clean.Paths)
		}
	default:
		fact = done.Entry.Facts[0].Normal()
		result.Struck, result.Fact, result.Place = fact.Supersedes, api.Remembered{Fact: api.NewFact(fact)}, done.File
		finishWrite(ctx, s, "remember", fact.ID)
	}
	result.SameKey = sameKey(ctx, s, fact, now)
	result.Fact.SameKey = mapped(result.SameKey, func(f OtherFact) string { return f.ID })
	if req.agent == nil {
		result.Fact.Close = closeFacts(ctx, s, fact, now)
	}
	return result, err
}

// restated updates the result for a fact that memory held already.
func restated(ctx context.Context, s *openMemory, result *RememberResult, id string, paths []string) error {
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
			return usagef("situation, action, outcome and learnings are of something that happened, name, steps and triggers of a way to do something: give one kind")
		}
		implied = memory.Procedural
	}
	switch {
	case implied == "":
		return nil
	case r.Type != nil && *r.Type != implied:
		return usagef("type %s does not go with these parts: they are of something %s", *r.Type, implied)
	case r.Text != nil:
		p.Text = *r.Text
	}
	text := p.String()
	r.Text, r.Type = &text, &implied
	return nil
}

// newFact checks the request, opens the memory for the fact, and completes the fact.
func newFact(ctx context.Context, o *operation, req RememberRequest, open opening, now time.Time) (s *openMemory, fact memory.Fact, err error) {
	if err := req.join(); err != nil {
		return nil, fact, err
	}
	if req.FactChange, err = req.agent.limit(req.FactChange); err != nil {
		return nil, fact, err
	}
	fact, err = req.apply(memory.Fact{Type: memory.Semantic, Importance: memory.PlainImportance}, now)
	if err == nil {
		err = req.agent.mayReach(o, req.FactChange)
	}
	if err != nil {
		return nil, fact, err
	}
	switch fact.Text = strings.TrimSpace(fact.Text); {
	case fact.Text == "":
		return nil, fact, &Error{Kind: KindUsage, Err: errors.New("the text to remember is empty"), Hint: "see 'agentflow remember --help'"}
	case len(fact.Text) > MaxFactText:
		return nil, fact, usagef("the text to remember is larger than %s", plural.Bytes(MaxFactText))
	}
	if fact.Namespace == memory.GlobalNamespace {
		s, err = o.openGlobal(ctx, true)
	} else {
		s, err = open(ctx)
	}
	if err != nil {
		return nil, fact, err
	}
	if req.Supersedes != "" {
		home, old, err := superseded(ctx, s, req.Supersedes, req.agent)
		if err != nil {
			return nil, fact, err
		}
		if home != s && req.Namespace != nil {
			return nil, fact, usagef("%s is in your own memory: --namespace %s cannot hold what replaces it", memory.ShortID(old.ID), namespaceText(fact.Namespace))
		}
		like := memory.Fact{Type: old.Type, Importance: old.Importance, Confidence: old.Confidence, Tags: old.Tags,
			Key: old.Key, Category: old.Category, Namespace: old.Namespace, Paths: old.Paths, Supersedes: old.ID}
		if fact, err = req.apply(like, now); err != nil {
			return nil, fact, err
		}
		s, fact.Text = home, strings.TrimSpace(fact.Text)
	}
	fact.Namespace, err = completed(ctx, s, fact.Namespace)
	return s, fact, err
}

// superseded finds the fact to replace, and its memory: this one, or else the user's own. agent is the agent that
// stores the new fact, nil for a person.
func superseded(ctx context.Context, s *openMemory, ref string, agent *Agent) (*openMemory, memory.Fact, error) {
	home, f, err := findAnywhere(ctx, s, ref)
	if err == nil {
		err = f.othersAlone("superseding")
	}
	if err == nil {
		err = agent.mayChange(home, f)
	}
	if err != nil {
		return nil, memory.Fact{}, err
	}
	if f.Fact == nil {
		if len(f.Facts) != 1 {
			err := usagef("--supersedes: %s is an entry of %s, not a fact", memory.ShortID(f.ID), plural.Count(len(f.Facts), "fact"))
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
		return nil, memory.Fact{}, &Error{Kind: KindRefused, Err: fmt.Errorf("superseding %s: it is struck already%s", memory.ShortID(old.ID), by)}
	}
	if home.isGlobal() {
		old.Namespace = memory.GlobalNamespace
	}
	return home, old, nil
}

// sameFact reports whether two facts of one memory state the same in the same namespace.
func sameFact(a, b memory.Fact) bool { return a.Gist() == b.Gist() }

// makesNeedless reports whether an existing fact makes it unnecessary to store f. It does not if an agent stored the
// existing fact through a tool and f comes from elsewhere: a person then stores the fact in their own name.
func makesNeedless(standing, f memory.Fact) bool {
	return sameFact(standing, f) && (f.ByTool() || !standing.ByTool())
}

// sameKey lists the other live facts in f's namespace with its key, and then the facts with that key that others share
// and that state something else.
func sameKey(ctx context.Context, s *openMemory, f memory.Fact, now time.Time) []OtherFact {
	if f.Key == "" {
		return nil
	}
	var list []OtherFact
	for k := range factsNamed(ctx, s, digest.ByKey(f.Key)) {
		if k.Key == f.Key && k.ID != f.ID && k.ID != f.Supersedes && k.Namespace == f.Namespace && k.Live(now) {
			list = append(list, OtherFact{Fact: k.Fact})
		}
	}
	return append(list, sharedWithKey(ctx, s, f, now)...)
}

// mergeRepeated merges the facts of a run's entry with the same facts in memory, for example from concurrent runs. If
// another process holds the lock until ctx ends, consolidation merges them later.
func mergeRepeated(ctx context.Context, s *openMemory, e memory.Entry) error {
	if !repeats(ctx, s, e) {
		return nil
	}
	err := revisePatiently(ctx, s, func(files map[string][]byte) (writeback.Change, error) {
		in := consolidate.Input{Files: files, Now: time.Now()}
		var err error
		if in.Forgotten, err = s.store.Barred(ctx); err != nil {
			return writeback.Change{}, err
		}
		return writeback.Change{Command: "run", Title: "facts that were said before", Edits: consolidate.Unite(in, e.ID)}, nil
	})
	if err != nil && !errors.Is(err, writeback.ErrLocked) && ctx.Err() == nil {
		return fmt.Errorf("merging facts that say the same: %w", err)
	}
	return nil
}

// revisePatiently calls the store's Revise again while other processes write, until ctx ends.
func revisePatiently(ctx context.Context, s *openMemory, plan func(files map[string][]byte) (writeback.Change, error)) error {
	for {
		err := s.store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil {
			return err
		}
	}
}

// repeats reports whether memory holds another fact that states the same as a fact of the entry.
func repeats(ctx context.Context, s *openMemory, e memory.Entry) bool {
	if len(e.Facts) == 0 {
		return false
	}
	now := time.Now()
	for k := range factsNamed(ctx, s, mapped(e.Facts, func(f memory.Fact) digest.Name { return digest.ByGist(f.Gist()) })...) {
		if k.ID != "" && k.Live(now) && slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return k.ID != f.ID && sameFact(k.Fact, f) }) {
			return true
		}
	}
	return false
}
