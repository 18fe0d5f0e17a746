package exchange

import (
	"context"
	"errors"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// Ref is the ref of shared memory on a remote. Branch is the ref on a remote that only accepts
// branches. OtherBranch is for a remote with a branch agentflow, because git allows no branch
// below that.
const (
	Ref         = "refs/agentflow/memory"
	Branch      = "refs/heads/agentflow/memory"
	OtherBranch = "refs/heads/agentflow-memory"
)

// BranchOf returns the branch for shared memory on a remote: the existing one, or otherwise one
// that can be made.
func BranchOf(ctx context.Context, repo memref.Repo, remote string) (string, error) {
	const inTheWay = "refs/heads/agentflow"
	has, err := repo.Has(ctx, remote, inTheWay, Branch, OtherBranch)
	if !has[Branch] && (has[OtherBranch] || has[inTheWay]) {
		return OtherBranch, err
	}
	return Branch, err
}

// The refs of this repository for the fetched commit, the commit to push, and the accepted one.
const (
	fetchedRef  = "refs/agentflow/fetched"
	mineRef     = "refs/agentflow/mine"
	acceptedRef = "refs/agentflow/accepted"
)

// stands reports, without asking git, whether the remote's ref has not moved since the last
// exchange, and no exchange was killed since. unmoved says that the ref is known not to have
// moved. If stands returns false, fetch has to ask.
func (c *Clone) stands(tip string, unmoved bool) bool {
	return tip != "" && (unmoved || c.Repo.Stands(c.Remote, c.Ref, tip)) && c.Repo.Keeps(map[string]string{acceptedRef: tip, fetchedRef: tip, mineRef: ""})
}

// fetch fetches the remote's ref and returns this repository's refs afterwards. They lack
// fetchedRef if the remote has no such ref. fetch removes the refs that a killed exchange left.
// last is the commit of acceptedRef and of the remote's ref after the last exchange.
func (c *Clone) fetch(ctx context.Context, last string) (refs map[string]string, err error) {
	if last != "" && !c.Repo.Keeps(map[string]string{acceptedRef: last, fetchedRef: last, mineRef: ""}) {
		refs, err := c.Repo.Refs(ctx, "refs/agentflow")
		if err == nil {
			err = c.debt().noteLeft(refs[fetchedRef], refs[mineRef])
		}
		if err != nil {
			return nil, err
		}
	}
	err = c.Repo.Fetch(ctx, c.Remote, c.Ref, fetchedRef)
	none := errors.Is(err, memref.ErrNoRef)
	if err != nil && !none {
		return nil, err
	}
	if !none && c.Repo.Keeps(map[string]string{acceptedRef: last, fetchedRef: last, mineRef: ""}) {
		return map[string]string{fetchedRef: last, acceptedRef: last}, nil
	}
	refs, err = c.Repo.Refs(ctx, "refs/agentflow")
	if err == nil && refs[mineRef] != "" {
		err = c.Repo.Keep(ctx, map[string]string{mineRef: ""})
	}
	if none {
		delete(refs, fetchedRef)
	}
	return refs, err
}

// hasPurged reports whether a clone purged its history between two exchanges.
func hasPurged(before, now map[share.CloneID]known) bool {
	for who, k := range now {
		if k.Purged > before[who].Purged {
			return true
		}
	}
	return false
}
