package gitwatch

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// changes are the diffs of the spans. What was changed before the run counts
// from there. touched takes every path that the spans name.
func (m *matrixRun) changes(end string, own []string, touched map[string]bool) string {
	spans := m.want.spans
	if spans == nil && end != m.start.head {
		spans = []between{{from: m.start.head, to: end}}
	}
	if len(own) == 0 {
		spans = nil
	}
	var out []string
	for _, s := range spans {
		from := stagedTree{m.fixture}.headTree(s.from)
		var plain []string
		for _, l := range m.diff(false, "diff-tree", from, s.to) {
			switch {
			case s.only != nil && !slices.Contains(s.only, l.path):
			case m.start.dirty[l.path]:
				touched[l.path] = true
				out = append(out, l.path+"\x00"+m.sweptIn(l))
			default:
				touched[l.path] = true
				plain = append(plain, l.path)
			}
		}
		if len(plain) > 0 {
			for _, l := range m.diff(true, append([]string{"diff-tree", from, s.to}, pathspecs(plain)...)...) {
				out = append(out, l.path+"\x00"+l.String())
			}
		}
	}
	sort.Strings(out)
	for i, l := range out {
		_, out[i], _ = strings.Cut(l, "\x00")
	}
	return strings.Join(out, "\n")
}

// isLine says whether the run's commits lead, one after the other, from the
// start to the end.
func (m *matrixRun) isLine(end string, own []string) bool {
	line, err := m.Try("rev-list", "--parents", "--first-parent", end, "^"+m.start.head)
	rows := strings.Split(strings.TrimSuffix(line, "\n"), "\n")
	return len(own) == 0 || err == nil && len(rows) == len(own) &&
		strings.HasSuffix(rows[len(rows)-1], m.start.head) && !slices.ContainsFunc(rows, func(r string) bool { return len(strings.Fields(r)) != 2 })
}

// touchedBy notes the paths that commits changed if git does not report these changes in the sense
// of a run: an amended commit from before the run, a copy, a merge. Of those paths only edits of
// clean files are compared.
func (m *matrixRun) touchedBy(own []string) {
	m.unsure = map[string]bool{}
	for _, id := range own {
		for _, path := range fields(m.Git("show", "--format=", "--name-only", "--no-renames", "-z", id)) {
			m.unsure[path] = true
		}
	}
}

// sure removes the lines of paths with commits that git does not report.
func (m *matrixRun) sure(l changeset.List) changeset.List {
	l.Items = slices.DeleteFunc(slices.Clone(l.Items), func(c changeset.Change) bool { return m.left[c.Path] })
	return l
}

// sweptIn is a path that differed from HEAD before the run and was committed
// by it.
func (m *matrixRun) sweptIn(l diffLine) string {
	l.counts = m.counts(m.start.files[l.path], l)
	return l.String() + " (" + alreadyChanged + ")"
}

// counts are the lines from a file at the start to what a commit holds.
func (m *matrixRun) counts(from, to diffLine) string {
	write := func(l diffLine) string {
		name := filepath.Join(m.Dir, "..", "oracle-"+l.id[:8])
		var text string
		switch l.mode {
		case "", "000000":
		case "160000":
			text = "Subproject commit " + l.id + "\n" // as git diff shows it
		default:
			f := *m.fixture
			f.Extra = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strings.Join([]string{
				filepath.Join(m.start.base, "oracle"), filepath.Join(m.start.base, m.start.objects), filepath.Join(m.Dir, "../oracle"),
			}, string(os.PathListSeparator))}
			text = f.Git("cat-file", "blob", l.id)
		}
		gittest.Must(m.T, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	if from.id == "" {
		from.id = "none----"
	}
	out, _ := m.Try("diff", "--no-index", "--numstat", "--no-ext-diff", write(from), write(to))
	n := strings.Fields(out)
	switch {
	case len(n) == 0:
		return " +0 -0"
	case n[0] == "-":
		return ""
	}
	return " +" + n[0] + " -" + n[1]
}
