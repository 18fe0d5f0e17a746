package share

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/purge"
	"agentflow/app/sharing"
	"agentflow/gitwatch/memref"
	"agentflow/internal/atomicfile"
	"agentflow/internal/config"
	"agentflow/internal/safefile"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/memory/retrieval"
	"agentflow/writeback"
)

// openWhose opens the memory to share: the repository's, or the user's own.
func openWhose(ctx context.Context, o *app.Operation, own bool) (*app.Repo, error) {
	if !own {
		return OpenToShare(ctx, o)
	}
	s, err := o.OpenGlobal(ctx, true)
	if err == nil && !safefile.IsDir(ownRepository(s)) {
		_, err = memref.Init(ctx, ownRepository(s))
	}
	return s, err
}

// openShared opens the memories here that are shared: the repository's, then the user's
// own. With must it is an error if there is none.
func openShared(ctx context.Context, o *app.Operation, must bool) (homes []*app.Repo, err error) {
	if place, _, err := o.Place(); err == nil && isShared(place) {
		s, err := OpenToShare(ctx, o)
		if err != nil {
			return nil, err
		}
		homes = append(homes, s)
	}
	if dirs, err := o.Dirs(); err == nil && isShared(dirs.Global()) {
		own, err := openWhose(ctx, o, true)
		if err != nil {
			return homes, err
		}
		homes = append(homes, own)
	}
	if len(homes) > 0 || !must {
		return homes, nil
	}
	s, err := OpenToShare(ctx, o)
	if err == nil {
		_, err = sharing.MustRead(s)
	}
	return nil, err
}

// isShared reports whether the memory of a place is shared, without opening it.
func isShared(place config.Place) bool {
	if place.Root == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(place.State(), sharing.FileName))
	return err == nil
}

// ownRepository returns the bare repository through which the user's own memory syncs with a remote.
func ownRepository(s *app.Repo) string { return filepath.Join(s.State(), purge.OwnRepositoryName) }

// machineName returns the name of this machine for the user's other machines.
func machineName(user string) string {
	host, err := os.Hostname()
	if err != nil {
		return user
	}
	if user == "" {
		return host
	}
	return user + " on " + host
}

// remoteToShare returns the remote's name or address. A relative path begins in the root of the
// work tree, as for git, or, for the user's own memory, in the current folder.
func remoteToShare(s *app.Repo, remote string) (string, error) {
	from := s.Dir
	switch {
	case !s.IsGlobal():
		remote, from = cmp.Or(remote, "origin"), s.Worktree
		if !strings.Contains(filepath.ToSlash(remote), "/") {
			return remote, nil
		}
	case remote == "":
		return "", &app.Error{Kind: app.KindUsage, Err: errors.New("nothing says where your own memory is to be shared"), Hint: "'agentflow share --own REMOTE': any address that git pushes to, as git@example.com:me/memory.git"}
	}
	if path := filepath.Join(from, remote); !filepath.IsAbs(remote) && !strings.Contains(remote, ":") && safefile.IsDir(path) {
		return path, nil
	}
	return remote, nil
}

// whatToShare returns the default for what to share: everything for the user's own memory.
func whatToShare(s *app.Repo) share.What {
	if s.IsGlobal() {
		return share.All
	}
	return share.What(s.Settings.Share.What)
}

// exchangeOwn exchanges the user's own memory. It also deletes here, and on the remote,
// what other machines have forgotten.
func exchangeOwn(ctx context.Context, s *app.Repo, c *sharing.Target, o exchange.Options) (api.Sync, error) {
	done, err := exchangeShared(ctx, s, c, o)
	if err == nil && !o.DryRun {
		err = applyDeletions(ctx, s, c)
	}
	return done, err
}

// applyDeletions deletes here what other machines of the user have forgotten. Each deletion is applied
// once, so an item that is restored afterwards stays.
func applyDeletions(ctx context.Context, s *app.Repo, c *sharing.Target) error {
	if !s.IsGlobal() {
		return nil
	}
	said, err := forgottenElsewhere(s)
	if err != nil {
		return err
	}
	heard, err := appliedDeletions(s)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(said, func(id string) bool { return slices.Contains(heard, id) })
	if len(fresh) == 0 {
		return nil
	}
	var targets []purge.ForgetTarget
	for _, id := range fresh {
		if f, err := lookup.Find(ctx, s, id); err == nil && !slices.ContainsFunc(targets, func(t purge.ForgetTarget) bool { return t.ID == f.ID }) {
			targets = append(targets, purge.NewForgetTarget(s, f, retrieval.Hit{}))
		}
	}
	if len(targets) > 0 {
		if _, _, err := purge.Forget(ctx, s, targets, false, writeback.Traces{}, nil); err != nil {
			return fmt.Errorf("forgetting what another machine forgot: %w", err)
		}
	}
	data, err := json.Marshal(append(heard, fresh...))
	if err == nil {
		err = atomicfile.Write(appliedFile(s), data, 0o600)
	}
	if err != nil || len(targets) == 0 {
		return err
	}
	_, err = Purging(ctx, s, c, exchange.Options{})
	return RemoteError(err)
}

// forgottenElsewhere returns the ids that the user's other machines have forgotten.
func forgottenElsewhere(s *app.Repo) (ids []string, err error) {
	machines, err := exchange.ReadAuthors(sharing.Mirror(s))
	if err != nil {
		return nil, err
	}
	for _, m := range machines {
		list, err := exchange.MirroredForgotten(sharing.Mirror(s), m.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, list...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func appliedFile(s *app.Repo) string { return filepath.Join(s.State(), "share-heard.json") }

// appliedDeletions returns the ids of the remote deletions that were already applied.
func appliedDeletions(s *app.Repo) (ids []string, err error) {
	data, err := os.ReadFile(appliedFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &ids)
	}
	return ids, err
}
