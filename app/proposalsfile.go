package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/repofile"
	"agentflow/propose/proposals"
)

const (
	maxProposals = 4 << 20 // bytes of the file; a tidy file is smaller
	proposalWait = 5 * time.Second
)

// errDamaged reports that the file of proposals has other content.
var errDamaged = errors.New("the file is damaged; the next change sets it aside as proposals.json.damaged")

func proposalsFile(s *openMemory) string { return filepath.Join(s.State(), "proposals.json") }

// readProposals reads the file. A damaged file gives an empty result with an error.
func readProposals(s *openMemory) (p proposals.List, err error) {
	data, err := repofile.Read(proposalsFile(s), repofile.NoLink, maxProposals)
	switch {
	case repofile.IsAbsent(err):
		err = nil
	case errors.Is(err, repofile.ErrTooLarge):
		err = errors.Join(errDamaged, err)
	case err == nil:
		p, err = decodeProposals(data)
	}
	if err != nil {
		p, err = proposals.List{}, fmt.Errorf("reading the proposals in %s: %w", proposalsFile(s), err)
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

// lockProposals locks the file against changes by other processes.
func lockProposals(ctx context.Context, s *openMemory) (*filelock.Lock, error) {
	if err := os.MkdirAll(s.State(), 0o700); err != nil {
		return nil, err
	}
	return filelock.Acquire(ctx, proposalsFile(s)+".lock", filelock.Self("review", time.Now()), proposalWait)
}

// changeProposals changes the file if change returns true.
func changeProposals(ctx context.Context, s *openMemory, now time.Time, change func(*proposals.List) (changed bool)) error {
	lock, err := lockProposals(ctx, s)
	if err != nil {
		return fmt.Errorf("noting proposals: %w", err)
	}
	p, err := readProposals(s)
	if errors.Is(err, errDamaged) {
		err = os.Rename(proposalsFile(s), proposalsFile(s)+".damaged")
	}
	if err == nil && change(&p) {
		p.Tidy(now)
		var data []byte
		if data, err = json.MarshalIndent(p, "", "\t"); err == nil {
			err = atomicfile.Write(proposalsFile(s), append(data, '\n'), 0o600)
		}
	}
	if err = errors.Join(err, lock.Release()); err != nil {
		return fmt.Errorf("noting proposals: %w", err)
	}
	return nil
}
