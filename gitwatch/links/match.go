package links

import (
	"math"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory/retrieval"
)

// finder finds the later form of a commit among later commits. The oldest match counts, because the
// commits after it build on it.
type finder struct {
	commits    []history.Commit // the newest first
	oldestTime int64            // time of the oldest of them, Unix seconds
	touched    map[string][]int
	blobs      []map[string]string
	patched    map[string][]int // by patch id
}

func newFinder(commits []history.Commit) *finder {
	m := &finder{commits: commits, oldestTime: math.MaxInt64, touched: map[string][]int{}, patched: map[string][]int{}}
	for i, c := range commits {
		m.oldestTime = min(m.oldestTime, c.Time.Unix())
		blobs := blobsByPath(c.Files)
		m.blobs = append(m.blobs, blobs)
		for path := range blobs {
			m.touched[path] = append(m.touched[path], i)
		}
	}
	return m
}

// candidates returns the ids of the commits for which patch ids are needed: those that changed a
// path of a trail. all reports that none was left out.
func (m *finder) candidates(trails []*trail) (ids []string, all bool) {
	wanted, anyPath := make([]bool, len(m.commits)), false
	for _, t := range trails {
		if !t.hasPatch() {
			continue
		}
		anyPath = anyPath || len(t.Paths) == 0 // it may have changed any path
		for _, p := range t.Paths {
			for _, i := range m.touched[string(p.Path)] {
				wanted[i] = true
			}
		}
	}
	for i, c := range slices.Backward(m.commits) {
		if (anyPath || wanted[i]) && len(c.Files) <= gitwatch.MaxPatchPaths {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) > maxPatches {
		return ids[:maxPatches], false
	}
	return ids, true
}

// addPatches adds the patch ids of candidates.
func (m *finder) addPatches(patches map[string]string) {
	for i, c := range m.commits {
		if p := patches[c.ID]; p != "" {
			m.patched[p] = append(m.patched[p], i)
		}
	}
}

// match settles the commits of a trail for which it finds a later form. also returns the patch ids
// of a commit's known later forms.
func (m *finder) match(c *trail, also func(commit string) []string) {
	for _, i := range c.open() {
		for _, patch := range append(also(c.Links[i].ID), c.patch(i)) {
			if now := m.oldest(c, m.patched[patch], nil); now != "" {
				c.settle(i, retrieval.LinkRewritten, now)
			}
		}
	}
	open := c.open()
	if len(open) == 0 {
		return
	}
	now := m.oldest(c, m.patched[c.netPatch()], nil)
	if now == "" && len(c.Paths) > 0 {
		now = m.oldest(c, m.touched[string(c.Paths[0].Path)], c.matches)
	}
	if now == "" {
		return
	}
	for _, i := range open {
		c.settle(i, retrieval.LinkRewritten, now)
	}
}

// oldest returns the oldest of some commits that can be a later form of one of the trail's commits
// and that suits accepts.
func (m *finder) oldest(c *trail, commits []int, suits func(blobs map[string]string) bool) string {
	for _, i := range slices.Backward(commits) {
		later := m.commits[i]
		if later.Time.Unix() >= c.Time-int64(reflog.ClockSlack.Seconds()) && !c.hasCommit(later.ID) && (suits == nil || suits(m.blobs[i])) {
			return later.ID
		}
	}
	return ""
}
