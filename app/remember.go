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
	Parts      memory.Parts // stand behind the text, and say of which type the fact is
	// Supersedes is the fact that the new one replaces: an id, the end of one,
	// or "last"; empty: none. The new fact is like it where FactChange says
	// nothing, and goes to the memory that holds it.
	Supersedes string

	agent  *Agent // who stores it; nil: a person
	reason string // the sentence that proposed it; empty: none
}

// RememberResult is what became of it.
type RememberResult struct {
	Fact     api.Remembered
	Place    string      // where it stands: a file, absolute, or memory/FILE:LINE of a fact that was there
	SameKey  []OtherFact // the other facts that hold and have its key
	Restated bool        // memory held the fact, which an agent had said or was about fewer files: now it is as the request says
	Redacted bool        // the text held what looks like a secret
	Struck   string      // id of the fact that it replaced; empty: none
	Degraded []string
}

// OtherFact is a fact that holds beside another.
type OtherFact struct {
	memory.Fact
	Author string // who shares it; empty: it is the user's own
}

// Remember writes a fact as a note entry of its own, and strikes the fact that
// it replaces in the same change. A fact that the namespace holds already is
// not written again: the store looks under its lock, so that of many callers
// at once one writes. Secrets are redacted.
//
// Errors are of KindUsage, KindNoPlace, KindNotFound (there is no fact
// Supersedes), KindRefused (it is struck), KindLocked and KindNotRecorded.
func (m *Memory) Remember(ctx context.Context, req RememberRequest) (result RememberResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	end, err := o.writing(ctx)
	if err != nil {
		return result, err
	}
	defer end(&err)
	return o.remember(ctx, req, o.openToWrite)
}

// remember is Remember within an operation that may write. The repository's memory is what
// open returns.
func (o *operation) remember(ctx context.Context, req RememberRequest, open opening) (result RememberResult, err error) {
	now := time.Now()
	s, fact, err := o.newFact(ctx, req, open, now)
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
		k := s.factAt(at, markdown.FactAt{Fact: standing.Fact, StartLine: standing.StartLine, EndLine: standing.EndLine})
		result.Fact, result.Place = api.Remembered{Fact: k.object(), Existing: true}, s.named(k.place())
		fact, fact.ID = clean, standing.ID
		if done.Struck {
			result.Struck = clean.Supersedes
			s.written(ctx, "remember", fact.ID)
		}
		if req.agent == nil {
			err = s.restated(ctx, &result, fact.ID, clean.Paths)
		}
	default:
		fact = done.Entry.Facts[0].Normal()
		result.Struck, result.Fact, result.Place = fact.Supersedes, api.Remembered{Fact: api.NewFact(fact)}, done.File
		s.written(ctx, "remember", fact.ID)
	}
	result.SameKey = s.sameKey(ctx, fact, now)
	result.Fact.SameKey = mapped(result.SameKey, func(f OtherFact) string { return f.ID })
	if req.agent == nil {
		result.Fact.Close = s.closeFacts(ctx, fact, now)
	}
	return result, err
}

// restated notes what became of a fact that memory held already.
func (s *openMemory) restated(ctx context.Context, result *RememberResult, id string, paths []string) error {
	f, changed, err := s.restate(ctx, id, paths)
	if changed {
		result.Restated = true
		f.File, f.Line = result.Fact.File, result.Fact.Line
		result.Fact.Fact = f
	}
	return err
}

// join makes the text and the parts one text, of the type that the parts are of.
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

// newFact checks the request, opens the memory that the fact is to go to, and
// completes the fact.
func (o *operation) newFact(ctx context.Context, req RememberRequest, open opening, now time.Time) (s *openMemory, fact memory.Fact, err error) {
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
		home, old, err := s.superseded(ctx, req.Supersedes, req.agent)
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
	fact.Namespace, err = s.completed(ctx, fact.Namespace)
	return s, fact, err
}

// superseded finds the fact that a new one of agent, nil for a person, is to
// replace, and the memory it is in: this one, else the user's own.
func (s *openMemory) superseded(ctx context.Context, ref string, agent *Agent) (*openMemory, memory.Fact, error) {
	home, f, err := s.findAnywhere(ctx, ref)
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

// sameFact says whether two facts of one memory say the same of the same
// namespace.
func sameFact(a, b memory.Fact) bool { return a.Gist() == b.Gist() }

// makesNeedless says whether a fact that stands makes another needless that is to
// be stored. A person who says what an agent stored through a tool says it in
// their own name.
func makesNeedless(standing, f memory.Fact) bool {
	return sameFact(standing, f) && (f.ByTool() || !standing.ByTool())
}

// sameKey lists the other facts that hold in f's namespace and have its key, then what
// others share of that key and say otherwise.
func (s *openMemory) sameKey(ctx context.Context, f memory.Fact, now time.Time) []OtherFact {
	if f.Key == "" {
		return nil
	}
	var list []OtherFact
	for k := range s.factsNamed(ctx, digest.ByKey(f.Key)) {
		if k.Key == f.Key && k.ID != f.ID && k.ID != f.Supersedes && k.Namespace == f.Namespace && k.Live(now) {
			list = append(list, OtherFact{Fact: k.Fact})
		}
	}
	return append(list, s.sharedWithKey(ctx, f, now)...)
}

// mergeRepeated merges the facts of a run's entry with those that memory holds
// already, as when runs beside each other say the same. Where another process
// keeps the lock until ctx ends, consolidation merges them later.
func (s *openMemory) mergeRepeated(ctx context.Context, e memory.Entry) error {
	if !s.repeats(ctx, e) {
		return nil
	}
	err := s.revisePatiently(ctx, func(files map[string][]byte) (writeback.Change, error) {
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

// revisePatiently is the store's Revise, tried again while other processes
// write, until ctx ends.
func (s *openMemory) revisePatiently(ctx context.Context, plan func(files map[string][]byte) (writeback.Change, error)) error {
	for {
		err := s.store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil {
			return err
		}
	}
}

// repeats says whether memory holds a fact beside the entry's own that says
// what one of these says.
func (s *openMemory) repeats(ctx context.Context, e memory.Entry) bool {
	if len(e.Facts) == 0 {
		return false
	}
	now := time.Now()
	for k := range s.factsNamed(ctx, mapped(e.Facts, func(f memory.Fact) digest.Name { return digest.ByGist(f.Gist()) })...) {
		if k.ID != "" && k.Live(now) && slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return k.ID != f.ID && sameFact(k.Fact, f) }) {
			return true
		}
	}
	return false
}
