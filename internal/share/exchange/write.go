package exchange

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// write commits on the tip and pushes the commit. It returns the commit of the remote's ref
// after that. It makes no commit without changes. With anew, the ref starts again without
// history.
func (c *Clone) write(ctx context.Context, commit memref.Commit, t tip, anew bool) (next string, err error) {
	switch {
	case t.broken && !anew:
		commit.Parent, commit.Clear = t.commit, true
	case t.broken, t.id == "":
	case anew:
		commit.Tree, err = c.Repo.TreeOf(ctx, t.commit)
	default:
		commit.Parent = t.commit
	}
	if err != nil {
		return "", err
	}
	if len(commit.Files)+len(commit.Remove)+len(commit.Trees) == 0 && commit.Tree == "" {
		return t.id, nil
	}
	if t.foreign {
		if err := c.Repo.NoLink(ctx, c.Remote, c.Ref); err != nil {
			return "", err
		}
	}
	if next, err = c.Repo.Write(ctx, mineRef, commit); err != nil {
		return "", err
	}
	return next, c.Repo.Push(ctx, c.Remote, next, c.Ref, t.id)
}

// accept records the accepted folders, and updates the mirror.
func (c *Clone) accept(ctx context.Context, u union, now state, id share.CloneID) error {
	err := c.Repo.Keep(ctx, map[string]string{acceptedRef: now.Tip, fetchedRef: now.Tip, mineRef: ""})
	if err != nil {
		return err
	}
	failed, err := c.mirror().reflect(ctx, u.accepted, id)
	if err != nil {
		return fmt.Errorf("mirroring shared memory: %w", err)
	}
	for who, err := range failed {
		u.refused[who] = refusal{Why: fmt.Sprintf("it cannot be written here: %v", err)}
	}
	if err := c.mark(); err != nil {
		return err
	}
	return c.writeState(now)
}

// withOwn adds this clone's folders, as they are in a commit.
func (c *Clone) withOwn(ctx context.Context, accepted map[share.CloneID]known, commit string, ids ...share.CloneID) (map[share.CloneID]known, error) {
	accepted = maps.Clone(accepted)
	for _, id := range ids {
		at, err := c.Repo.Look(ctx, commit+":"+folder+"/"+string(id))
		if err != nil {
			return nil, err
		}
		if at[0].Kind != "tree" {
			continue
		}
		m, err := c.reader().manifestAt(ctx, at[0].ID)
		if err != nil {
			return nil, err
		}
		accepted[id] = known{at[0].ID, m.Sequence, m.Purged, m.Author, m.Time}
	}
	return accepted, nil
}

// commit returns the changes to the tip.
func (c *Clone) commit(ctx context.Context, r *Report, u union, mine own, key ed25519.PrivateKey, now time.Time, o Options) memref.Commit {
	commit := memref.Commit{Time: now, Message: "memory of " + short(r.ID), Trees: map[string]string{}, Files: map[string][]byte{}}
	if u.tip.broken {
		for who, tree := range u.tip.folders {
			commit.Trees[folder+"/"+string(who)] = tree
		}
	}
	for who, tree := range u.heal {
		commit.Trees[folder+"/"+string(who)] = tree
	}
	sequence, purged := uint64(1), uint64(0)
	if u.own != nil {
		sequence, purged = u.own.Sequence+1, u.own.Purged
	}
	if o.Purge {
		purged = sequence
	}
	names := append(slices.Collect(maps.Keys(mine.changed)), mine.removed(u.own)...)
	slices.Sort(names)
	r.Files = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return share.OnlyDeclares(mine.changed[name]) })
	if len(names) == 0 && (u.own != nil || len(mine.files) == 0) && !(o.Purge && u.own != nil) {
		return commit
	}
	for _, name := range r.Files {
		text := mine.changed[name]
		r.Bytes += int64(len(text))
		if o.DryRun {
			r.Texts = append(r.Texts, string(text))
		}
	}
	mine.into(&commit, r.ID, u.own, c.manifest(ctx, mine, key, sequence, purged, now))
	return commit
}

// short returns the beginning of an id, which is enough to identify a clone for people.
func short(id share.CloneID) string { return strings.ToLower(string(id)[:min(8, len(id))]) }
