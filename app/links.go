package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agentflow/api"
	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// commitStates says what became of commits, by the full ids that entries have.
type commitStates map[string]memory.Link

// of is what became of a commit; unknown when nobody asked.
func (l commitStates) of(commit string) memory.Link {
	if link, ok := l[commit]; ok {
		return link
	}
	return memory.Link{ID: commit, State: memory.LinkUnknown}
}

// addTo says in a run object what became of its commits.
func (l commitStates) addTo(r *api.Run) {
	for i, c := range r.Commits {
		link := l.of(c.ID)
		r.Commits[i].State, r.Commits[i].Now = link.State, link.Now
	}
}

// commitStates finds out what became of the commits that entries name. Outside
// git all of them are unknown; so are those that git cannot be asked about, and
// a warning says why.
func (s *openMemory) commitStates(ctx context.Context, entries ...*memory.Entry) commitStates {
	return s.statesBy(s.tracer(ctx), entries)
}

// statesBy are those that a tracer finds out, which may be nil.
func (s *openMemory) statesBy(t *tracer, entries []*memory.Entry) commitStates {
	if t == nil {
		return commitStates{}
	}
	states := t.ask(entries)
	s.degraded("links", t.trouble)
	return states
}

// linkFiles are the files in which gitwatch keeps what became of commits.
func (s *openMemory) linkFiles() links.Files {
	f := links.Files{Rewrites: filepath.Join(s.State(), "rewrites")}
	if dir := filepath.Dir(s.Index()); !leadsOutside(dir, filepath.Dir(s.Root)) {
		f.Cache = filepath.Join(dir, "links")
	}
	return f
}

// purgeLinks deletes the states of commits that were found out: they name the
// paths of entries.
func (s *openMemory) purgeLinks() error {
	cache := s.linkFiles().Cache
	if cache == "" {
		return nil
	}
	if err := os.Remove(cache); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("purging the states of commits: %w", err)
	}
	return nil
}

// tracer tells what became of commits. While memory is searched it answers
// from its book; the first commit that the book does not know makes it ask git
// once, about the commits of all entries.
type tracer struct {
	ctx     context.Context
	mem     *openMemory
	links   *links.Ledger
	asked   bool
	trouble []string // why something is unknown
}

// tracer is nil outside git and where the repository cannot be read.
func (s *openMemory) tracer(ctx context.Context) *tracer {
	repo, err := s.repo(ctx)
	if err != nil {
		return nil
	}
	book, err := links.Open(ctx, repo, s.linkFiles())
	if err != nil {
		return nil
	}
	return &tracer{ctx: ctx, mem: s, links: book}
}

// tracing opens a tracer beside what the caller does meanwhile, and waits for it when it
// is asked for.
func (s *openMemory) tracing(ctx context.Context) func() *tracer {
	opened := make(chan *tracer, 1)
	go func() { opened <- s.tracer(ctx) }()
	return sync.OnceValue(func() *tracer { return <-opened })
}

// ask finds out what became of the commits of some entries.
func (t *tracer) ask(entries []*memory.Entry) commitStates {
	states, err := t.links.Resolve(t.ctx, entries...)
	if err != nil {
		t.trouble = append(t.trouble, "finding out what became of commits: "+err.Error())
	}
	// States that cannot be saved, as on a disk that is read-only, are found out again.
	_ = t.links.Save()
	return states
}

// of is what became of a commit.
func (t *tracer) of(commit string) memory.Link {
	link, resolved := t.links.Known(commit)
	if resolved || t.asked {
		return link
	}
	t.asked = true
	var entries []*memory.Entry
	for b, err := range t.mem.blocks() {
		if err == nil && b.Entry != nil && len(b.Entry.Commits) > 0 {
			entries = append(entries, b.Entry)
		}
	}
	t.ask(entries)
	link, _ = t.links.Known(commit)
	return link
}

// stands says for the ranking that a commit is not gone.
func (t *tracer) stands(commit string) bool {
	return t == nil || t.of(commit).State != memory.LinkGone
}

// update gives hits the ids that their commits have now, and says which were
// rewritten or are gone. It returns why something is unknown.
func (t *tracer) update(hits []memory.Hit) (trouble []string) {
	if t == nil {
		return nil
	}
	t.follow(hits)
	_ = t.links.Save() // as in ask
	return t.trouble
}

func (t *tracer) follow(hits []memory.Hit) {
	for i := range hits {
		h := &hits[i]
		if h.Origin != nil {
			origin := []memory.Hit{*h.Origin}
			t.follow(origin)
			h.Origin = &origin[0]
		}
		var now []string
		var moved []memory.Link
		for _, id := range h.Commits {
			link := t.of(id)
			if link.State == memory.LinkRewritten || link.State == memory.LinkGone {
				moved = append(moved, link)
			}
			if link.State == memory.LinkRewritten {
				id = link.Now
			}
			if !slices.Contains(now, id) {
				now = append(now, id)
			}
		}
		if len(moved) > 0 {
			h.Commits, h.Explain.Commits = now, moved
		}
	}
}
