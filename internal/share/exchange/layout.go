package exchange

import (
	"context"

	"agentflow/internal/share"
)

// layoutOf returns the layout for this clone's folder: version 2 if there are other clones and
// all of them declare that they read it. A clone without a folder is unknown, so a single clone
// shares version 1. A folder that was refused declares nothing.
func (r reader) layoutOf(ctx context.Context, u union, own share.CloneID) (share.Layout, error) {
	for who := range u.refused {
		if _, accepted := u.accepted[who]; !accepted && who != own {
			return share.V1, nil
		}
	}
	var paths []string
	for _, who := range sorted(u.accepted) {
		if who != own {
			paths = append(paths, u.accepted[who].Tree+":"+share.ForgottenFile)
		}
	}
	if len(paths) == 0 {
		return share.V1, nil
	}
	items, err := r.repo.Look(ctx, paths...)
	if err != nil {
		return share.V1, err
	}
	var ids []string
	for _, i := range items {
		if i.Kind != "blob" {
			return share.V1, nil
		}
		ids = append(ids, i.ID)
	}
	layout := share.V2
	return layout, r.repo.Blobs(ctx, ids, func(_ string, list []byte) error {
		if !share.Declares(list) {
			layout = share.V1
		}
		return nil
	})
}
