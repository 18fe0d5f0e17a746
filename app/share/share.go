// Package share shares memory with other clones through a ref of a git remote. PlanShare shows the text that would
// be sent, ApplyShare begins to share, Sync exchanges, and StopShare ends it. Package share decides which part of
// memory is shared, and package share/exchange moves it.
//
// Nothing is sent before the user has applied a plan. A sync sends the changes of this clone, and receives those of
// others into a mirror, .agentflow/shared, which search and prompts read. After each write, FinishWrite updates the
// index, and begins a sync in the background if share.auto is on. An error of a sync in the background is recorded
// once, until a sync succeeds.
//
// Memory of others is never changed here. To forget such an item is to hide it in this clone (Hide): the mirror
// omits it, so no reader of memory finds it, until Unhide. A purge also leaves the history of the ref: Retract
// records it, and the next sync removes it. An interrupted purge or sync is continued by the next command.
//
// The user's own memory is shared between the user's machines in the same way, from a bare repository next to its
// log. There a folder also lists the ids that its machine hides, and each machine forgets once the ids that another
// one lists. An item that is restored afterwards stays.
//
// Not guaranteed: ApplyShare sends memory as it is then, even if it changed since the plan. A purge cannot remove
// the text from clones that do not sync, nor objects that no ref leads to from the remote, before git collects them.
package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/sharing"
	"agentflow/gitwatch/memref"
	"agentflow/internal/lists"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
)

// Request selects where and how the repository's memory is shared.
type Request struct {
	Remote string     // name or address; empty: as it is, or origin
	What   share.What // empty: as it is, or as the settings say
	Branch bool       // on a branch, for a remote that takes no other refs
	Own    bool       // the user's own memory, with other machines of theirs
}

// Plan is what a share would send.
type Plan struct {
	Remote   string
	Ref      string
	What     share.What
	Author   string
	Files    []string // that would change on the remote
	Texts    []string // the parts of those files that are shared, in the same order; empty: the file is removed
	Bytes    int64
	First    bool   // nothing was shared with this remote before
	Own      bool   // it is the user's own memory
	Address  string // of the remote, without a user name or password
	Unshared int    // entries that stay here, because only facts are shared
	Degraded []string
}

// PlanShare finds out what a share would send. It fetches, and changes nothing else.
func PlanShare(ctx context.Context, m *app.Memory, req Request) (plan Plan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	s, err := openWhose(ctx, o, req.Own)
	if err != nil {
		return plan, err
	}
	c, err := sharing.Read(s)
	if err != nil {
		return plan, err
	}
	plan.First, plan.Own = c == nil, req.Own
	now := cmp.Or(c, &sharing.Target{})
	if plan.Remote, err = remoteToShare(s, cmp.Or(req.Remote, now.Remote)); err != nil {
		return plan, err
	}
	plan.What = cmp.Or(req.What, now.What, sharing.Before(s), whatToShare(s))
	plan.Ref = cmp.Or(now.Ref, exchange.Ref)
	if !plan.What.Known() {
		return plan, app.Usagef("share facts, entries or all, not %q", plan.What)
	}
	clone, err := clone(ctx, s, &sharing.Target{Remote: plan.Remote, Ref: plan.Ref, What: plan.What})
	if err != nil {
		return plan, err
	}
	if !clone.Repo.Remote(ctx, plan.Remote) {
		return plan, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("there is no remote %q", plan.Remote), Hint: "'git remote' lists them; name one with --remote"}
	}
	if req.Branch {
		if plan.Ref, err = exchange.BranchOf(ctx, clone.Repo, plan.Remote); err != nil {
			return plan, RemoteError(err)
		}
		clone.Ref = plan.Ref
	}
	plan.Author, plan.Address = clone.Author(ctx), remoteAddress(ctx, clone)
	if plan.Unshared, err = unshared(s, plan.What); err != nil {
		return plan, err
	}
	report, err := clone.Exchange(ctx, exchange.Options{DryRun: true})
	plan.Files, plan.Texts, plan.Bytes = report.Files, report.Texts, report.Bytes
	return plan, RemoteError(err)
}

// ApplyShare starts to share memory, and syncs.
func ApplyShare(ctx context.Context, m *app.Memory, plan Plan) (result SyncResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := openWhose(ctx, o, plan.Own)
	if err != nil {
		return result, err
	}
	c := &sharing.Target{Remote: plan.Remote, Ref: plan.Ref, What: plan.What}
	if err := sharing.Set(s, c); err != nil {
		return result, err
	}
	if plan.Own {
		result.Report, err = exchangeOwn(ctx, s, c, exchange.Options{})
	} else {
		result.Report, err = exchangeShared(ctx, s, c, exchange.Options{})
	}
	return result, err
}

// StopShareRequest selects how sharing ends.
type StopShareRequest struct {
	Withdraw bool // remove the shared memory from the remote
	Own      bool // of the user's own memory
}

// StopShare ends sharing. The memory of others is removed here and no longer searched.
func StopShare(ctx context.Context, m *app.Memory, req StopShareRequest) (result SyncResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := openWhose(ctx, o, req.Own)
	if err != nil {
		return result, err
	}
	c, err := sharing.MustRead(s)
	if err != nil {
		return result, err
	}
	if req.Withdraw {
		if result.Report, err = exchangeShared(ctx, s, c, exchange.Options{Withdraw: true}); err != nil {
			return result, err
		}
	}
	if err := os.RemoveAll(sharing.Mirror(s)); err != nil {
		return result, err
	}
	if err := sharing.Set(s, nil); err != nil || !req.Withdraw {
		return result, err
	}
	return result, os.Remove(sharing.StoppedFile(s))
}

// SyncRequest selects the kind of sync.
type SyncRequest struct {
	DryRun bool
	Purge  bool // replace the ref without its history: for text that was purged
	// Auto marks a sync that runs in the background. If memory is not shared or another sync
	// is running, it does nothing. A reason that keeps it from the remote is reported once.
	Auto bool
}

// SyncResult is the result of a sync.
type SyncResult struct {
	Report   api.Sync  // of the repository's memory
	Shared   bool      // that is shared: there is a report
	Own      *api.Sync // of the user's own memory; nil: it is not shared
	Degraded []string
}

// Sync brings shared memory up to date, on both sides: the repository's, and the user's own.
func Sync(ctx context.Context, m *app.Memory, req SyncRequest) (result SyncResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	homes, err := openShared(ctx, o, !req.Auto)
	for _, s := range homes {
		c, e := sharing.MustRead(s)
		switch {
		case e != nil:
		case req.Auto:
			e = syncQuietly(ctx, s, c)
		case s.IsGlobal():
			var own api.Sync
			own, e = exchangeOwn(ctx, s, c, exchange.Options{DryRun: req.DryRun, Purge: req.Purge})
			result.Own = &own
		default:
			result.Report, e = exchangeShared(ctx, s, c, exchange.Options{DryRun: req.DryRun, Purge: req.Purge})
			result.Shared = true
		}
		err = errors.Join(err, e)
	}
	return result, err
}

// StatusResult reports how memory is shared.
type StatusResult struct {
	Status   api.Share
	Degraded []string
}

// Status reads local state only. own selects the user's own memory.
func Status(ctx context.Context, m *app.Memory, own bool) (result StatusResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := openWhose(ctx, o, own)
	if err != nil {
		return result, err
	}
	c, err := sharing.Read(s)
	if err != nil || c == nil {
		return result, err
	}
	clone, err := clone(ctx, s, c)
	if err != nil {
		return result, err
	}
	refused, err := clone.Refused()
	if err != nil {
		return result, err
	}
	list, err := exchange.ReadAuthors(sharing.Mirror(s))
	result.Status = api.Share{On: true, Remote: c.Remote, Ref: c.Ref, What: string(c.What), Auto: s.Settings.Share.Auto, Clones: []api.SharedClone{}, Refused: app.Refusals(refused)}
	for _, a := range list {
		result.Status.Clones = append(result.Status.Clones, api.SharedClone{ID: string(a.ID), Author: a.Author, Time: a.Time, Muted: sharing.Muted(s, a)})
	}
	return result, err
}

// OpenToShare opens a memory in a git repository; that memory may still be empty.
func OpenToShare(ctx context.Context, o *app.Operation) (*app.Repo, error) {
	place, _, err := o.Place()
	if err != nil {
		return nil, err
	}
	if place.CommonDir == "" {
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("sharing memory: %s is no git repository", filepath.Dir(place.Root)), Hint: "memory is shared through a remote of the repository"}
	}
	return o.OpenToWrite(ctx)
}

// exchangeShared syncs with the remote, and reports the result.
func exchangeShared(ctx context.Context, s *app.Repo, c *sharing.Target, o exchange.Options) (api.Sync, error) {
	start := time.Now()
	r, err := Purging(ctx, s, c, o)
	if err != nil {
		return api.Sync{}, RemoteError(err)
	}
	out := api.Sync{Remote: c.Remote, Clone: string(r.ID), Pushed: r.Pushed, Files: lists.Filled(r.Files), Bytes: r.Bytes, Clones: len(r.Clones), News: []string{}, Refused: []string{},
		Healed: len(r.Healed), Restored: lists.Filled(r.Restored), DryRun: o.DryRun, DurationMS: time.Since(start).Milliseconds()}
	for _, id := range r.News {
		i := slices.IndexFunc(r.Clones, func(k exchange.Shared) bool { return k.ID == id })
		out.News = append(out.News, fmt.Sprintf("%s (%.8s)", r.Clones[i].Author, id))
	}
	out.Refused = app.Refusals(slices.DeleteFunc(r.Refused, func(f exchange.Refused) bool { return !f.New }))
	return out, nil
}

// RemoteError adds a remedy to an error of a remote.
func RemoteError(err error) error {
	switch {
	case errors.Is(err, memref.ErrRefused):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "share on a separate branch: 'agentflow share --branch'"}
	case errors.Is(err, memref.ErrFaster):
		return &app.Error{Kind: app.KindLocked, Err: err, Hint: "run 'agentflow sync' again"}
	case errors.Is(err, memref.ErrLocked):
		return &app.Error{Kind: app.KindLocked, Err: err, Hint: "a git command that was killed leaves such a file: remove it if no git command is running there, then run 'agentflow sync' again"}
	case errors.Is(err, memref.ErrTaken):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "rename it, or delete it if it is not needed, then run 'agentflow sync' again"}
	case errors.Is(err, memref.ErrLink):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "memory would be pushed there; remove the symbolic ref on the remote: 'git symbolic-ref --delete " + exchange.Ref + "'"}
	}
	return err
}

// forgottenHere returns a function that reports whether an id was forgotten here.
func forgottenHere(ctx context.Context, s *app.Repo) (func(id string) bool, error) {
	forgotten, err := s.Store.ForgottenIDs(ctx)
	if err != nil {
		return nil, err
	}
	buried, err := s.Store.Buried(ctx)
	return func(id string) bool { return forgotten[id] || buried(id) }, err
}

// clone returns the memory in its shared form.
func clone(ctx context.Context, s *app.Repo, c *sharing.Target) (*exchange.Clone, error) {
	b := app.UntrustedPart(ctx, s)
	repo := memref.Repo{Dir: s.CommonDir, Private: s.Policy.Team}
	if !s.Policy.Team {
		repo.Top = filepath.Dir(s.Root)
	}
	clone := &exchange.Clone{
		Repo: repo, Remote: c.Remote, Ref: c.Ref, What: c.What, Whose: share.Repositorys, State: s.State(), Memory: s.Memory(), Mirror: sharing.Mirror(s),
		Author: repo.Author, Gone: func(ctx context.Context) (func(id string) bool, error) { return forgottenHere(ctx, s) }, Clean: s.Redact.Text, Leaves: func(name string) bool { return !b.File("memory/" + name) },
		Rules: fmt.Sprintf("1 %s %+v", c.What, s.Settings.Redact), Now: time.Now,
	}
	if !s.Policy.Team {
		clone.Join = func(ctx context.Context, merge func(now map[string][]byte) map[string][]byte, purged []string) error {
			return takeIn(ctx, s, merge, purged)
		}
	}
	if s.Dirs.State != "" && !s.Policy.Team {
		clone.Holders = filepath.Join(s.Dirs.State, "clones")
	}
	list, err := Hidden(s)
	clone.Hidden, clone.Back = hiddenIDs(list)
	switch {
	case s.IsGlobal():
		clone.Repo, clone.Whose = memref.Repo{Dir: ownRepository(s), Private: true}, share.Own
		clone.Author = func(ctx context.Context) string { return machineName(clone.Repo.Author(ctx)) }
		clone.Rules += fmt.Sprintf(" %q %q", clone.Hidden, clone.Back)
	case s.Policy.Team:
		clone.Author, clone.Key, clone.Adopt = func(context.Context) string { return app.TeamAuthor }, s.Team.Key, func(ctx context.Context, files map[string][]byte, purged bool) error {
			return Adopt(ctx, s, files, purged)
		}
	}
	return clone, err
}
