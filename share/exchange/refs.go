package exchange

import (
	"context"
	"errors"

	"agentflow/gitwatch/memref"
	"agentflow/share"
)

// stands says, without asking git, that the remote's ref is where the last exchange left it
// (which unmoved says already), and that no exchange was killed since. Where it does not say
// so, fetch finds out.
func (c *Clone) stands(tip string, unmoved bool) bool {
	return tip != "" && (unmoved || c.Repo.Stands(c.Remote, c.Ref, tip)) && c.Repo.Keeps(map[string]string{acceptedRef: tip, fetchedRef: tip, mineRef: ""})
}

// fetch fetches, and says where the refs of this repository are then; a remote without the ref
// leaves none of what was fetched. What an exchange left that was killed is removed. last is
// where the remote's ref and that of what was accepted were.
func (c *Clone) fetch(ctx context.Context, last string) (refs map[string]string, err error) {
	if last != "" && !c.Repo.Keeps(map[string]string{acceptedRef: last, fetchedRef: last, mineRef: ""}) {
		refs, err := c.Repo.Refs(ctx, "refs/agentflow")
		if err == nil {
			err = c.noteLeft(refs[fetchedRef], refs[mineRef])
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

// hasPurged says whether a clone purged its history between two exchanges.
func hasPurged(before, now map[share.CloneID]known) bool {
	for who, k := range now {
		if k.Purged > before[who].Purged {
			return true
		}
	}
	return false
}
