package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/gitwatch/memref"
	"agentflow/index"
	"agentflow/share"
	"agentflow/share/exchange"
)

// ShareRequest says where the repository's memory is shared.
type ShareRequest struct {
	Remote string     // name or address; empty: as it is, or origin
	What   share.What // empty: as it is, or as the settings say
	Branch bool       // on a branch, for a remote that takes no other refs
}

// SharePlan is what would leave, before it does.
type SharePlan struct {
	Remote   string
	Ref      string
	What     share.What
	Author   string
	Files    []string // that would change on the remote
	Texts    []string // what of them leaves, in their order; empty: the file goes away
	Bytes    int64
	First    bool // nothing was shared with this remote before
	Degraded []string
}

// PlanShare looks what would leave. It fetches, and changes nothing else.
func (m *Memory) PlanShare(ctx context.Context, req ShareRequest) (plan SharePlan, err error) {
	o := m.begin(ctx)
	defer o.end(&plan.Degraded, &err)
	s, err := o.openToShare(ctx)
	if err != nil {
		return plan, err
	}
	c, err := s.sharing()
	if err != nil {
		return plan, err
	}
	plan.First = c == nil
	now := cmp.Or(c, &sharing{})
	plan.Remote = cmp.Or(req.Remote, now.Remote, "origin")
	plan.What = cmp.Or(req.What, now.What, share.What(s.settings.Share.What))
	plan.Ref = cmp.Or(now.Ref, exchange.Ref)
	if req.Branch {
		plan.Ref = exchange.Branch
	}
	if !plan.What.Known() {
		return plan, usagef("what is shared is facts, entries or all, not %q", plan.What)
	}
	clone := s.clone(ctx, &sharing{plan.Remote, plan.Ref, plan.What})
	if !clone.Repo.Remote(ctx, plan.Remote) {
		return plan, &Error{Kind: KindNotFound, Err: fmt.Errorf("there is no remote %q", plan.Remote), Hint: "'git remote' lists them; name one with --remote"}
	}
	plan.Author = clone.Author
	report, err := clone.Exchange(ctx, exchange.Options{DryRun: true})
	plan.Files, plan.Texts, plan.Bytes = report.Files, report.Texts, report.Bytes
	return plan, shareError(err)
}

// ApplyShare shares memory from now on, and syncs.
func (m *Memory) ApplyShare(ctx context.Context, plan SharePlan) (result SyncResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openToShare(ctx)
	if err != nil {
		return result, err
	}
	c := &sharing{plan.Remote, plan.Ref, plan.What}
	if err := s.setSharing(c); err != nil {
		return result, err
	}
	result.Report, err = s.exchange(ctx, c, exchange.Options{})
	return result, err
}

// StopShareRequest says how sharing ends.
type StopShareRequest struct {
	Withdraw bool // takes back what was shared
}

// StopShare shares no more. What others shared is not searched any more, and is removed.
func (m *Memory) StopShare(ctx context.Context, req StopShareRequest) (result SyncResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openToShare(ctx)
	if err != nil {
		return result, err
	}
	c, err := s.mustShare()
	if err != nil {
		return result, err
	}
	if req.Withdraw {
		if result.Report, err = s.exchange(ctx, c, exchange.Options{Withdraw: true}); err != nil {
			return result, err
		}
	}
	if err := os.RemoveAll(s.mirror()); err != nil {
		return result, err
	}
	return result, s.setSharing(nil)
}

// SyncRequest says what a sync does.
type SyncRequest struct {
	DryRun bool
	Purge  bool // the ref begins anew, without its history: for text that was purged
	// Auto is a sync that nobody waits for: where memory is not shared, or another sync
	// goes on, it does nothing, and what keeps it from the remote is said once.
	Auto bool
}

// SyncResult is what a sync did.
type SyncResult struct {
	Report   api.Sync
	Degraded []string
}

// Sync brings shared memory up to date, on both sides.
func (m *Memory) Sync(ctx context.Context, req SyncRequest) (result SyncResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openToShare(ctx)
	if err != nil {
		return result, err
	}
	c, err := s.sharing()
	if err == nil && c == nil && !req.Auto {
		c, err = s.mustShare()
	}
	if err != nil || c == nil {
		return result, err
	}
	if req.Auto {
		return result, s.syncQuietly(ctx, c)
	}
	result.Report, err = s.exchange(ctx, c, exchange.Options{DryRun: req.DryRun, Purge: req.Purge})
	return result, err
}

// ShareStatusResult says how memory is shared.
type ShareStatusResult struct {
	Status   api.Share
	Degraded []string
}

// ShareStatus asks nobody.
func (m *Memory) ShareStatus(ctx context.Context) (result ShareStatusResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openToShare(ctx)
	if err != nil {
		return result, err
	}
	c, err := s.sharing()
	if err != nil || c == nil {
		return result, err
	}
	list, err := exchange.ReadAuthors(s.mirror())
	result.Status = api.Share{On: true, Remote: c.Remote, Ref: c.Ref, What: string(c.What), Auto: s.settings.Share.Auto, Clones: []api.SharedClone{}}
	for _, a := range list {
		result.Status.Clones = append(result.Status.Clones, api.SharedClone{ID: string(a.ID), Author: a.Author, Time: a.Time, Muted: s.muted(a)})
	}
	return result, err
}

// openToShare opens a memory in a git repository, whose memory may be empty yet.
func (o *operation) openToShare(ctx context.Context) (*openMemory, error) {
	place, _, err := o.place()
	if err != nil {
		return nil, err
	}
	if place.CommonDir == "" {
		return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("sharing memory: %s is no git repository", filepath.Dir(place.Root)), Hint: "memory is shared through a remote of the repository"}
	}
	return o.openToWrite(ctx)
}

// exchange syncs with the remote, and says what happened.
func (s *openMemory) exchange(ctx context.Context, c *sharing, o exchange.Options) (api.Sync, error) {
	start := time.Now()
	clone, err := s.sharedClone(ctx, c)
	if err != nil {
		return api.Sync{}, err
	}
	r, err := s.purging(ctx, clone, o)
	if err != nil {
		return api.Sync{}, shareError(err)
	}
	out := api.Sync{Remote: c.Remote, Clone: string(r.ID), Pushed: r.Pushed, Files: filled(r.Files), Bytes: r.Bytes, Clones: len(r.Clones), News: []string{}, Refused: []string{},
		Healed: len(r.Healed), Restored: filled(r.Restored), DryRun: o.DryRun, DurationMS: time.Since(start).Milliseconds()}
	for _, id := range r.News {
		i := slices.IndexFunc(r.Clones, func(k exchange.Shared) bool { return k.ID == id })
		out.News = append(out.News, fmt.Sprintf("%s (%.8s)", r.Clones[i].Author, id))
	}
	for _, f := range r.Refused {
		out.Refused = append(out.Refused, fmt.Sprintf("clones/%s: %s", cleanLine(string(f.ID)), cleanStart(f.Why)))
	}
	return out, nil
}

// shareError says the way out of an error of a remote.
func shareError(err error) error {
	switch {
	case errors.Is(err, memref.ErrRefused):
		return &Error{Kind: KindRefused, Err: err, Hint: "share on a branch of its own: 'agentflow share --branch'"}
	case errors.Is(err, memref.ErrFaster):
		return &Error{Kind: KindLocked, Err: err, Hint: "run 'agentflow sync' again"}
	}
	return err
}

// sharedClone is clone, and knows what was forgotten.
func (s *openMemory) sharedClone(ctx context.Context, c *sharing) (*exchange.Clone, error) {
	gone, err := s.store.ForgottenIDs(ctx)
	clone := s.clone(ctx, c)
	clone.Gone = func(id string) bool { return gone[id] }
	return clone, err
}

// clone is the memory as it is shared.
func (s *openMemory) clone(ctx context.Context, c *sharing) *exchange.Clone {
	b := s.untrusted(ctx)
	repo := memref.Repo{Dir: s.CommonDir}
	clone := &exchange.Clone{
		Repo: repo, Remote: c.Remote, Ref: c.Ref, What: c.What, State: s.State(), Memory: s.Memory(), Mirror: s.mirror(),
		Author: repo.Author(ctx), Clean: s.redact.Text, Leaves: func(name string) bool { return !b.file("memory/" + name) },
		Rules: fmt.Sprintf("1 %s %+v", c.What, s.settings.Redact), Now: time.Now,
	}
	if s.team != nil {
		clone.Author, clone.Key, clone.Adopt = TeamAuthor, s.team.key, s.adopt
	}
	return clone
}

// mirror is the folder of what others share: nobody edits it.
func (s *openMemory) mirror() string { return filepath.Join(s.Root, "shared") }

// sharedSources are the folders of the others.
func (s *openMemory) sharedSources() (list []index.Source) {
	if leadsOutside(s.mirror(), filepath.Dir(s.Root)) {
		return nil
	}
	authors, err := exchange.ReadAuthors(s.mirror())
	if err != nil {
		s.warn("reading who shares memory: %v", err)
	}
	for _, a := range authors {
		if !share.IsID(string(a.ID)) || s.muted(a) {
			continue
		}
		list = append(list, index.Source{Dir: filepath.Join(s.mirror(), "clones", string(a.ID)), Prefix: sharedPrefix(a), Author: share.AuthorName(a.Author)})
	}
	return list
}

// muted says whether the user wants to see nothing of a clone.
func (s *openMemory) muted(a exchange.Shared) bool { return names(s.settings.Share.Mute, a) }

// trusted are the prefixes of the sources whose clones the user trusts.
func (s *openMemory) trusted() (prefixes []string) {
	if len(s.settings.Share.Trust) == 0 {
		return nil
	}
	authors, _ := exchange.ReadAuthors(s.mirror()) // sharedSources warns
	for _, a := range authors {
		if names(s.settings.Share.Trust, a) {
			prefixes = append(prefixes, sharedPrefix(a))
		}
	}
	return prefixes
}

// sharedPrefix begins the paths of what a clone shares.
func sharedPrefix(a exchange.Shared) string {
	return fmt.Sprintf("shared/%s-%.8s/", slug(a.Author), a.ID)
}

// names says whether a list names a clone: its author, or the beginning of its id.
func names(list []string, a exchange.Shared) bool {
	return slices.ContainsFunc(list, func(who string) bool {
		return who == a.Author || len(who) >= 8 && strings.HasPrefix(string(a.ID), who)
	})
}
