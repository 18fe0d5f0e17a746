package propose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/purge"
	"agentflow/internal/atomicfile"
	"agentflow/internal/propose/proposals"
	"agentflow/internal/safefile"
)

const maxProposals = 4 << 20 // bytes of the file; a tidy file is smaller

// errDamaged reports that the file of proposals has other content.
var errDamaged = errors.New("the file is damaged; the next change sets it aside as proposals.json.damaged")

// ReadProposals reads the file. A damaged file gives an empty result with an error.
func ReadProposals(s *app.Repo) (p proposals.List, err error) {
	data, err := safefile.Read(purge.ProposalsFile(s), safefile.NoLink, maxProposals)
	switch {
	case safefile.IsAbsent(err):
		err = nil
	case errors.Is(err, safefile.ErrTooLarge):
		err = errors.Join(errDamaged, err)
	case err == nil:
		p, err = decodeProposals(data)
	}
	if err != nil {
		p, err = proposals.List{}, fmt.Errorf("reading the proposals in %s: %w", purge.ProposalsFile(s), err)
	}
	if p.Settled == nil {
		p.Settled = map[string]time.Time{}
	}
	return p, err
}

func decodeProposals(data []byte) (p proposals.List, err error) {
	if err := json.Unmarshal(data, &p); err != nil || p.Version < 1 {
		return p, errors.Join(errDamaged, err)
	}
	if p.Version > proposals.Version {
		return p, fmt.Errorf("version %d, and this program reads %d: update agentflow", p.Version, proposals.Version)
	}
	for _, list := range []*[]proposals.Proposal{&p.Waiting, &p.Accepted} {
		*list = slices.DeleteFunc(*list, func(w proposals.Proposal) bool { return w.ID == "" || w.Text == "" || w.IsMasked() })
	}
	return p, nil
}

// changeProposals changes the file if change returns true.
func changeProposals(ctx context.Context, s *app.Repo, now time.Time, change func(*proposals.List) (changed bool)) error {
	lock, err := purge.LockProposals(ctx, s)
	if err != nil {
		return fmt.Errorf("noting proposals: %w", err)
	}
	p, err := ReadProposals(s)
	if errors.Is(err, errDamaged) {
		err = os.Rename(purge.ProposalsFile(s), purge.ProposalsFile(s)+".damaged")
	}
	if err == nil && change(&p) {
		p.Tidy(now)
		var data []byte
		if data, err = json.MarshalIndent(p, "", "\t"); err == nil {
			err = atomicfile.Write(purge.ProposalsFile(s), append(data, '\n'), 0o600)
		}
	}
	if err = errors.Join(err, lock.Release()); err != nil {
		return fmt.Errorf("noting proposals: %w", err)
	}
	return nil
}
