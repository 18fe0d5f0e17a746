package gitwatch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"agentflow/memory"
)

// oracleState is what the git program says of a repository at one moment.
type oracleState struct {
	index    string // the index and the objects, below the case's folder
	objects  string
	base     string              // of the template
	head     string              // empty when unborn
	tips     []string            // all references
	files    map[string]diffLine // what the work tree holds, as git would store it
	dirty    map[string]bool     // paths that differ from HEAD
	unmerged map[string]bool
	up       map[string]bool // commits that the remote has
}

// look asks everything; base is the folder of the template.
func (f *fixture) look(base string) *oracleState {
	f.t.Helper()
	o := &oracleState{base: base, up: map[string]bool{}}
	place := func(name string) string {
		path := strings.TrimSpace(f.git("rev-parse", "--git-path", name))
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.dir, path)
		}
		rel, err := filepath.Rel(base, path)
		must(f.t, err)
		return rel
	}
	o.index, o.objects = place("index"), place("objects")
	head, _ := f.try("rev-parse", "-q", "--verify", "HEAD")
	o.head = strings.TrimSpace(head)
	o.tips = append(strings.Fields(f.git("for-each-ref", "--format=%(objectname)")), strings.Fields(o.head)...)
	if up := filepath.Join(base, "up"); exists(up) {
		for _, id := range strings.Fields(f.git("-C", up, "rev-list", "--all")) {
			o.up[id] = true
		}
	}
	s := f.staged(o, base)
	o.files = s.files()
	o.dirty = map[string]bool{}
	for _, l := range s.diff(false, "diff-index", "--cached", s.headTree(o.head)) {
		o.dirty[l.path] = true
	}
	o.unmerged = f.unmerged()
	return o
}

func (f *fixture) unmerged() map[string]bool {
	paths := map[string]bool{}
	for _, record := range fields(f.git("ls-files", "-u", "-z")) {
		_, path, _ := strings.Cut(record, "\t")
		paths[path] = true
	}
	return paths
}

// stagedTree is the work tree, added to an index and objects of its own.
type stagedTree struct{ *fixture }

// staged adds the whole work tree to a copy of the index. Its objects go to a
// folder of their own, so that nothing can be found in the repository that
// was not there.
func (f *fixture) staged(o *oracleState, base string) stagedTree {
	f.t.Helper()
	own := filepath.Join(base, "oracle")
	must(f.t, os.MkdirAll(own, 0o755))
	index := filepath.Join(own, "index")
	if raw, err := os.ReadFile(filepath.Join(base, o.index)); err == nil {
		must(f.t, os.WriteFile(index, raw, 0o600))
	}
	s := *f
	s.trace = false
	s.extra = []string{
		"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + own,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(base, o.objects) + string(os.PathListSeparator) + filepath.Join(o.base, "oracle"),
	}
	s.git("-c", "core.splitIndex=false", "-c", "core.fsmonitor=", "-c", "core.untrackedCache=false", "-c", "advice.addEmbeddedRepo=false",
		"-c", "core.safecrlf=false", "add", "-A", "--sparse")
	return stagedTree{&s}
}

func (s stagedTree) headTree(head string) string {
	if head == "" {
		return strings.TrimSpace(s.git("hash-object", "-t", "tree", "/dev/null"))
	}
	return head
}

// files lists what was added. A repository within, which no index names, is
// not entered.
func (s stagedTree) files() map[string]diffLine {
	out := map[string]diffLine{}
	for _, record := range fields(s.git("ls-files", "-s", "-z")) {
		head, path, _ := strings.Cut(record, "\t")
		f := strings.Fields(head)
		if path != nested {
			out[path] = diffLine{path: path, mode: f[0], id: f[1]}
		}
	}
	return out
}

const nested = "free/nested"

// diffLine is one line of git diff --raw --numstat.
type diffLine struct {
	path, old      string
	letter         byte
	mode, id       string // after
	oldMode, oldID string
	counts         string // " +1 -2"
}

func (l diffLine) String() string {
	if l.old != "" {
		return fmt.Sprintf("%c %s <- %s%s", l.letter, l.path, l.old, l.counts)
	}
	return fmt.Sprintf("%c %s%s", l.letter, l.path, l.counts)
}

// diff asks one of git's diffs, with or without renames.
func (f *fixture) diff(renames bool, args ...string) []diffLine {
	f.t.Helper()
	how := "--no-renames"
	if renames {
		how = "-M"
	}
	ask := append([]string{args[0], how, "-r", "-z", "--raw", "--numstat", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}, args[1:]...)
	records := fields(f.git(ask...))
	var out []diffLine
	for len(records) > 0 && strings.HasPrefix(records[0], ":") {
		h := strings.Fields(records[0][1:])
		l := diffLine{letter: h[4][0], oldMode: h[0], mode: h[1], oldID: h[2], id: h[3], path: records[1]}
		records = records[2:]
		if l.letter == 'R' {
			l.old, l.path, records = l.path, records[0], records[1:]
		}
		out = append(out, l)
	}
	counts := map[string]string{}
	for len(records) > 0 {
		n := strings.SplitN(records[0], "\t", 3)
		path := n[2]
		records = records[1:]
		if path == "" {
			path, records = records[1], records[2:]
		}
		if n[0] != "-" {
			counts[path] = " +" + n[0] + " -" + n[1]
		}
	}
	for i := range out {
		out[i].counts = counts[out[i].path]
	}
	return out
}

// diff leaves out the repository within, which stands in no index but this.
func (s stagedTree) diff(renames bool, args ...string) []diffLine {
	return slices.DeleteFunc(s.fixture.diff(renames, args...), func(l diffLine) bool { return l.path == nested && l.letter == 'A' })
}

func pathspecs(paths []string) []string {
	out := []string{"--"}
	for _, p := range paths {
		out = append(out, ":(top,literal)"+p)
	}
	return out
}

// compare holds a change set against git.
func (m *matrixRun) compare(set ChangeSet) {
	end := m.head()
	own, foreign := m.newCommits(end)
	want(m.t, "commits", sortedLines(idsOf(set)), sortedLines(own))
	touched := map[string]bool{}
	if !m.want.free || m.isLine(end, own) {
		want(m.t, "changes", show(set.Changes), m.changes(end, own, touched))
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
	if m.c.shape.flags.filtered { // what a filter made of a file is known to git alone
		for i := range got.Items {
			got.Items[i].Counted = false
		}
	}
	want(m.t, "uncommitted", show(got), byPath(uncommitted))
	want(m.t, "meanwhile", show(m.sure(set.Meanwhile)), byPath(meanwhile))
	pulled := ""
	if foreign > 0 {
		pulled = "pulled " + commitCount(foreign)
	}
	want(m.t, "pulled", strings.Join(slices.DeleteFunc(slices.Clone(set.Remarks), func(r string) bool { return !strings.HasPrefix(r, "pulled") }), ", "), pulled)
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

// newCommits are the run's, and how many came from the remote to what is
// checked out.
func (m *matrixRun) newCommits(end string) (own []string, foreign int) {
	args := []string{"rev-list", "--branches"}
	if end != "" {
		args = append(args, end)
	}
	all := strings.Fields(m.git(append(append(args, "--not"), m.start.tips...)...))
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
	line, err := m.try("rev-list", "--parents", "--first-parent", end, "^"+m.start.head)
	rows := strings.Split(strings.TrimSuffix(line, "\n"), "\n")
	return len(own) == 0 || err == nil && len(rows) == len(own) &&
		strings.HasSuffix(rows[len(rows)-1], m.start.head) && !slices.ContainsFunc(rows, func(r string) bool { return len(strings.Fields(r)) != 2 })
}

// touchedBy notes the paths that commits changed, where what they changed in
// the sense of a run is not told by git: an amended commit of before, a copy,
// a merge. Of those paths only edits of what was clean are compared.
func (m *matrixRun) touchedBy(own []string) {
	m.unsure = map[string]bool{}
	for _, id := range own {
		for _, path := range fields(m.git("show", "--format=", "--name-only", "--no-renames", "-z", id)) {
			m.unsure[path] = true
		}
	}
}

// sure takes away the lines of paths whose commits git does not tell.
func (m *matrixRun) sure(l memory.ChangeList) memory.ChangeList {
	l.Items = slices.DeleteFunc(slices.Clone(l.Items), func(c memory.Change) bool { return m.left[c.Path] })
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
		name := filepath.Join(m.dir, "..", "oracle-"+l.id[:8])
		var text string
		switch l.mode {
		case "", "000000":
		case "160000":
			text = "Subproject commit " + l.id + "\n" // as git diff shows it
		default:
			f := *m.fixture
			f.extra = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(m.start.base, "oracle")}
			text = f.git("cat-file", "blob", l.id)
		}
		must(m.t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	if from.id == "" {
		from.id = "none----"
	}
	out, _ := m.try("diff", "--no-index", "--numstat", "--no-ext-diff", write(from), write(to))
	n := strings.Fields(out)
	switch {
	case len(n) == 0:
		return " +0 -0"
	case n[0] == "-":
		return ""
	}
	return " +" + n[0] + " -" + n[1]
}

// workTreeEdits are the net edits: the run's, and those beside it.
func (m *matrixRun) workTreeEdits(end string, touched map[string]bool) (uncommitted, meanwhile map[string]string) {
	uncommitted, meanwhile = map[string]string{}, map[string]string{}
	s := m.staged(m.start, filepath.Dir(m.dir))
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
		var letter memory.Status
		switch {
		case unmerged[path]:
			letter = memory.StatusUnmerged
		case touched[path]:
			letter = memory.Status(now[path].letter)
		case then.id == "":
			letter = memory.StatusAdded
		case is.id == "":
			letter = memory.StatusDeleted
		case then.mode[:2] != is.mode[:2]:
			letter = memory.StatusType
		default:
			letter = memory.StatusModified
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
