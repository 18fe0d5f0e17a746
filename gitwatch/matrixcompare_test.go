package gitwatch

import (
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"agentflow/internal/plural"
	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// compare holds a change set against git.
func (m *matrixRun) compare(set ChangeSet) {
	end := m.head()
	own, foreign := m.newCommits(end)
	gittest.Want(m.T, "commits", sortedLines(idsOf(set)), sortedLines(own))
	touched := map[string]bool{}
	if !m.want.free || m.isLine(end, own) {
		gittest.Want(m.T, "changes", gittest.Show(set.Changes), m.changes(end, own, touched))
	} else {
		m.touchedBy(own)
	}
	uncommitted, meanwhile := m.workTreeEdits(end, touched)
	for _, s := range m.want.others {
		for _, l := range m.diff(false, "diff-tree", s.from, s.to) {
			meanwhile[l.path] = string(l.letter) + " " + l.path
		}
	}
	got := m.sure(set.Uncommitted)
	if m.c.shape.flags.filtered { // only git knows the result of a filter
		for i := range got.Items {
			got.Items[i].Counted = false
		}
	}
	gittest.Want(m.T, "uncommitted", gittest.Show(got), byPath(uncommitted))
	gittest.Want(m.T, "meanwhile", gittest.Show(m.sure(set.Meanwhile)), byPath(meanwhile))
	pulled := ""
	if foreign > 0 {
		pulled = "pulled " + plural.Count(foreign, "commit")
	}
	gittest.Want(m.T, "pulled", strings.Join(slices.DeleteFunc(slices.Clone(set.Remarks), func(r string) bool { return !strings.HasPrefix(r, "pulled") }), ", "), pulled)
}

func idsOf(set ChangeSet) []string {
	var ids []string
	for _, c := range set.Commits {
		ids = append(ids, c.ID)
	}
	return ids
}

func byPath(lines map[string]string) string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, lines[path])
	}
	return strings.Join(out, "\n")
}

// newCommits returns the commits of the run, and how many commits came from the remote to the
// checked-out branch.
func (m *matrixRun) newCommits(end string) (own []string, foreign int) {
	args := []string{"rev-list", "--branches"}
	if end != "" {
		args = append(args, end)
	}
	all := strings.Fields(m.Git(append(append(args, "--not"), m.start.tips...)...))
	for _, id := range all {
		switch {
		case m.start.up[id]:
			foreign++
		case !m.want.theirs[id]:
			own = append(own, id)
		}
	}
	return own, foreign
}

// workTreeEdits returns the net edits: those of the run, and those of others.
func (m *matrixRun) workTreeEdits(end string, touched map[string]bool) (uncommitted, meanwhile map[string]string) {
	uncommitted, meanwhile = map[string]string{}, map[string]string{}
	s := m.staged(m.start, filepath.Dir(m.Dir))
	tree := s.headTree(end)
	now := map[string]diffLine{}
	dirty := s.diff(false, "diff-index", "--cached", tree)
	for _, l := range dirty {
		now[l.path] = l
	}
	unmerged := m.unmerged()
	for path := range unmerged {
		now[path] = diffLine{path: path, letter: 'U'}
	}
	var mine []string
	for path, l := range now {
		then := m.start.files[path]
		moved := l.id != then.id && !(l.mode == "000000" && then.id == "") || l.mode != then.mode && then.mode != "" && l.letter != 'U'
		switch {
		case m.unsure[path] && !moved:
			m.left[path] = true
		case m.start.dirty[path] || m.start.unmerged[path]:
		case unmerged[path]:
			uncommitted[path] = "U " + path
		case !moved && !touched[path]:
		case m.want.shared && !slices.Contains(m.want.touched, path):
			meanwhile[path] = string(l.letter) + " " + path
		default:
			mine = append(mine, path)
		}
	}
	if len(mine) > 0 {
		sort.Strings(mine)
		for _, l := range s.diff(true, append([]string{"diff-index", "--cached", tree}, pathspecs(mine)...)...) {
			if m.c.shape.flags.filtered {
				l.counts = ""
			}
			uncommitted[l.path] = l.String()
		}
	}
	m.movedBeside(s, now, unmerged, touched, uncommitted, meanwhile)
	return uncommitted, meanwhile
}

// movedBeside are the paths that differed from HEAD before the run.
func (m *matrixRun) movedBeside(s stagedTree, now map[string]diffLine, unmerged, touched map[string]bool, uncommitted, meanwhile map[string]string) {
	if len(m.start.dirty) == 0 && len(m.start.unmerged) == 0 {
		return
	}
	files := s.files()
	for path := range union(m.start.dirty, m.start.unmerged) {
		then, is := m.start.files[path], files[path]
		_, dirty := now[path]
		if m.unsure[path] {
			m.left[path] = true
			continue
		}
		if !dirty && touched[path] || then.id == is.id && then.mode == is.mode && (!unmerged[path] || m.start.unmerged[path]) {
			continue
		}
		var letter changeset.Status
		switch {
		case unmerged[path]:
			letter = changeset.StatusUnmerged
		case touched[path]:
			letter = changeset.Status(now[path].letter)
		case then.id == "":
			letter = changeset.StatusAdded
		case is.id == "":
			letter = changeset.StatusDeleted
		case then.mode[:2] != is.mode[:2]:
			letter = changeset.StatusType
		default:
			letter = changeset.StatusModified
		}
		if m.want.shared && slices.Contains(m.want.touched, path) {
			uncommitted[path] = string(letter) + " " + path + m.counts(then, is)
			continue
		}
		meanwhile[path] = string(letter) + " " + path
	}
}

func union(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
