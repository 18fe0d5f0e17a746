package gitwatch

import "agentflow/gitwatch/internal/git"

// reveal tells of the paths that came to light since the start what stood there
// then, as if the start had looked: files that have not changed since hold what
// they held; of others that is not known.
func (c *comparison) reveal() error {
	startTree, err := c.objects.treeOf(c.start.head())
	if err != nil {
		return err
	}
	endTree, err := c.objects.treeOf(c.end.head())
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	for _, d := range c.end.Dirty {
		paths[string(d.Path)] = true
	}
	for path := range c.touched {
		paths[path] = true
	}
	for path := range paths {
		if _, known := c.start.dirty[path]; known || !c.start.Hidden.holds(path) {
			continue
		}
		if head, err := c.objects.lookup(startTree, path); err != nil || head.exists() {
			if err != nil {
				return err
			}
			continue
		}
		was, err := c.unseen(endTree, path)
		if err != nil {
			return err
		}
		c.start.dirty[path] = dirtyFile{Path: git.Name(path), Now: was}
	}
	return nil
}

// unseen is what stood at a path that the start did not look at.
func (c *comparison) unseen(endTree git.ID, path string) (file, error) {
	unknown := file{Mode: git.ModeFile, Unknown: true}
	now, st, err := c.repo.tree.onDisk(path)
	if err != nil || !st.unchangedSince(c.start.Began) {
		return unknown, nil //nolint:nilerr // what cannot be looked at is not known
	}
	if d, dirty := c.end.dirty[path]; dirty {
		return d.Now, nil
	}
	head, err := c.objects.lookup(endTree, path)
	if head.exists() {
		return head, err // as it stands there, or it would be among the changed
	}
	return now, err
}
