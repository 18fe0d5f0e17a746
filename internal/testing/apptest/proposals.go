package apptest

import "path/filepath"

func (p *Place) ProposalsFile() string {
	return filepath.Join(p.Repo, ".git", "agentflow", "proposals.json")
}
