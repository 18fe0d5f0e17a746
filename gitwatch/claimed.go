package gitwatch

import (
	"slices"

	"agentflow/gitwatch/internal/git"
)

// claimedPaths lists the paths that calls of the run claim, even if they no longer differ from
// HEAD: those that its file tools wrote, and those in commits of other people that one of its
// commands names.
func (c *comparison) claimedPaths() (paths []string, err error) {
	var looksAt func(string) bool
	for _, name := range c.judge.WrittenPaths() {
		if git.InOwnFolder(name) {
			continue
		}
		known, err := c.isKnown(name)
		if err == nil && !known && looksAt == nil {
			looksAt, err = c.repo.tree.Sight()
		}
		if err != nil {
			return nil, err
		}
		if known || looksAt(name) {
			paths = append(paths, name)
		}
	}
	for name, list := range c.holdings {
		if c.judge.Names(name) && slices.ContainsFunc(list, func(h holding) bool { return !h.aside }) {
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// isKnown reports whether git had a file at a path at the start or the end, or in a commit made in
// between.
func (c *comparison) isKnown(name string) (bool, error) {
	then, _, err := c.start.at(c.objects, name)
	if err != nil {
		return false, err
	}
	now, dirty, err := c.end.at(c.objects, name)
	return then.Now.Exists() || then.Head.Exists() || now.Head.Exists() || dirty || len(c.holdings[name]) > 0, err
}
