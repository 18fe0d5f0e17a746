package gitwatch

import (
	"context"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// maxRemote is up to how many remote-tracking branches count as branches that
// a commit may be on. Mirrors have tens of thousands.
const maxRemote = 500

// BranchTips are the commits of the branches, local and remote-tracking, and
// of HEAD where it stands on none; and in one text the commits where the
// history is cut off.
func (r *Repo) BranchTips(ctx context.Context) (tips []string, grafts string, err error) {
	defer git.Caught(&err)
	s := openStore(ctx, r.at)
	defer s.close()
	branch, head, err := s.head()
	if err != nil {
		return nil, "", err
	}
	if branch == "" && head != "" {
		tips = append(tips, head.String())
	}
	refs, err := s.refs()
	if err != nil {
		return nil, "", err
	}
	var remote []string
	for _, ref := range refs {
		switch name := string(ref.Name); {
		case strings.HasPrefix(name, git.BranchPrefix):
			tips = append(tips, ref.ID)
		case strings.HasPrefix(name, "refs/remotes/"):
			remote = append(remote, ref.ID)
		}
	}
	if len(remote) <= maxRemote {
		tips = append(tips, remote...)
	}
	ends, err := s.shallow()
	if err != nil {
		return nil, "", err
	}
	var cut []string
	for _, id := range ends {
		cut = append(cut, id.String())
	}
	slices.Sort(cut)
	slices.Sort(tips)
	return slices.Compact(tips), strings.Join(cut, " "), nil
}
