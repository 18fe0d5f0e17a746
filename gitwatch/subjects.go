package gitwatch

import (
	"context"

	"agentflow/gitwatch/internal/git"
)

// Subjects returns the subject lines of commits by full id, each on one line
// and valid UTF-8. Ids that cannot be read are left out.
func (r *Repo) Subjects(ctx context.Context, ids []string) (out map[string]string) {
	defer func() { _ = git.Panic(recover()) }() // what cannot be read is left out
	o := openObjects(ctx, r.at)
	defer o.close()
	out = make(map[string]string, len(ids))
	for _, s := range ids {
		id, ok := git.ParseID(s)
		if !ok || ctx.Err() != nil {
			continue
		}
		if c, err := o.commitInfo(id); err == nil {
			out[s] = c.subject
		}
	}
	return out
}
