package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/gitwatch/links"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// commitStates maps the full commit ids of entries to their current states.
type commitStates map[string]retrieval.Link

// Of returns the state of a commit, LinkUnknown if it was not resolved.
func (l commitStates) Of(commit string) retrieval.Link {
	if link, ok := l[commit]; ok {
		return link
	}
	return retrieval.Link{ID: commit, State: retrieval.LinkUnknown}
}

// AddTo sets the states of the commits of a run object.
func (l commitStates) AddTo(r *api.Run) {
	for i, c := range r.Commits {
		link := l.Of(c.ID)
		r.Commits[i].State, r.Commits[i].Now = link.State, link.Now
	}
}

// NewCommitStates resolves the states of the commits that entries name. All of them are unknown outside git. A commit that
// git cannot resolve is unknown too, with a warning that gives the reason.
func NewCommitStates(ctx context.Context, s *app.Repo, entries ...*memory.Entry) commitStates {
	return StatesBy(s, NewTracer(ctx, s), entries)
}

// StatesBy resolves the states with a tracer, which may be nil.
func StatesBy(s *app.Repo, t *Tracer, entries []*memory.Entry) commitStates {
	if t == nil {
		return commitStates{}
	}
	states := t.ask(entries)
	s.Degraded("links", t.trouble)
	return states
}

// LinkFiles returns the files in which gitwatch keeps the states of commits.
func LinkFiles(s *app.Repo) links.Files {
	f := links.Files{Rewrites: filepath.Join(s.State(), "rewrites")}
	if dir := filepath.Dir(s.Index()); !safefile.LeadsOutside(dir, filepath.Dir(s.Root)) {
		f.Cache = filepath.Join(dir, "links")
	}
	return f
}

// PurgeLinks deletes the cached states of commits, because they name the paths of entries.
func PurgeLinks(s *app.Repo) error {
	cache := LinkFiles(s).Cache
	if cache == "" {
		return nil
	}
	if err := os.Remove(cache); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("purging the states of commits: %w", err)
	}
	return nil
}

// Tracer resolves the states of commits. During a search it answers from its ledger. The first commit that the ledger
// does not know makes it ask git once, about the commits of all entries.
type Tracer struct {
	ctx     context.Context
	mem     *app.Repo
	links   *links.Ledger
	asked   bool
	trouble []string // reasons for unknown states
}

// NewTracer opens a tracer. It returns nil outside git and if the repository cannot be read.
func NewTracer(ctx context.Context, s *app.Repo) *Tracer {
	repo, err := s.Repo(ctx)
	if err != nil {
		return nil
	}
	book, err := links.Open(ctx, repo, LinkFiles(s))
	if err != nil {
		return nil
	}
	return &Tracer{ctx: ctx, mem: s, links: book}
}

// Tracing opens a tracer concurrently. The returned function waits until it is open.
func Tracing(ctx context.Context, s *app.Repo) func() *Tracer {
	opened := make(chan *Tracer, 1)
	go func() { opened <- NewTracer(ctx, s) }()
	return sync.OnceValue(func() *Tracer { return <-opened })
}

// ask resolves the commits of entries.
func (t *Tracer) ask(entries []*memory.Entry) commitStates {
	states, err := t.links.Resolve(t.ctx, entries...)
	if err != nil {
		t.trouble = append(t.trouble, "finding out what became of commits: "+err.Error())
	}
	// States that cannot be saved, as on a read-only disk, are resolved again next time.
	_ = t.links.Save()
	return states
}

// of returns the state of a commit.
func (t *Tracer) of(commit string) retrieval.Link {
	link, resolved := t.links.Known(commit)
	if resolved || t.asked {
		return link
	}
	t.asked = true
	var entries []*memory.Entry
	for b, err := range Blocks(t.mem) {
		if err == nil && b.Entry != nil && len(b.Entry.Commits) > 0 {
			entries = append(entries, b.Entry)
		}
	}
	t.ask(entries)
	link, _ = t.links.Known(commit)
	return link
}

// Stands reports to the ranking that a commit is not gone. Without a tracer it is true for every commit.
func (t *Tracer) Stands(commit string) bool {
	return t == nil || t.of(commit).State != retrieval.LinkGone
}

// Update replaces the commit ids of hits by their current ids, and notes which commits were rewritten or are gone. It
// returns the reasons for unknown states.
func (t *Tracer) Update(hits []retrieval.Hit) (trouble []string) {
	if t == nil {
		return nil
	}
	t.follow(hits)
	_ = t.links.Save() // as in ask
	return t.trouble
}

func (t *Tracer) follow(hits []retrieval.Hit) {
	for i := range hits {
		h := &hits[i]
		if h.Origin != nil {
			origin := []retrieval.Hit{*h.Origin}
			t.follow(origin)
			h.Origin = &origin[0]
		}
		var now []string
		var moved []retrieval.Link
		for _, id := range h.Commits {
			link := t.of(id)
			if link.State == retrieval.LinkRewritten || link.State == retrieval.LinkGone {
				moved = append(moved, link)
			}
			if link.State == retrieval.LinkRewritten {
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
