package attribution

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/memory/changeset"
)

// judge compares the result of Compare with the truth.
type judge struct {
	s     *scenario
	set   gitwatch.ChangeSet
	tally *tally

	listed       map[string]string // the surest column, by path
	shownAtStart map[string]bool   // what git does not ignore
	shownAtEnd   map[string]bool
	switched     map[string]bool // files that are as another HEAD than the first has them
}

// Columns of the table.
const (
	colShown     = "shown"
	colLikely    = "likely"
	colPossible  = "possible"
	colMeanwhile = "meanwhile"
	colNone      = "not listed"
)

var columns = []string{colShown, colLikely, colPossible, colMeanwhile, colNone}

func columnOf(c changeset.Certainty) string {
	switch c {
	case changeset.Shown, changeset.Likely, changeset.Possible:
		return string(c)
	}
	return colShown // a claim that does not say how sure it is
}

// visible returns the paths that git looks at: tracked ones with changes not
// hidden from git, and untracked ones that are not ignored.
func (s *scenario) visible() map[string]bool {
	out := map[string]bool{}
	for _, line := range split0(s.git("ls-files", "-z", "-v", "--cached", "--others", "--exclude-standard")) {
		if tag, path, _ := strings.Cut(line, " "); !strings.Contains("hmrckS", tag) {
			out[path] = true
		}
	}
	return out
}

// switched returns the paths that a checkout of another commit wrote and that
// still equal that commit's.
func (s *scenario) switched() map[string]bool {
	out := map[string]bool{}
	if from, to := s.start.at(), s.now.at(); from != to {
		for _, path := range split0(s.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to)) {
			out[path] = true
		}
		for _, path := range split0(s.git("diff", "-z", "--name-only", "--no-renames", to)) {
			delete(out, path)
		}
	}
	return out
}

// list puts down where each path is listed.
func (j *judge) list() {
	j.listed = map[string]string{}
	for _, ch := range slices.Concat(j.set.Changes.Items, j.set.Uncommitted.Items) {
		col := columnOf(ch.Certainty)
		j.put(ch.Path, col)
		if ch.OldPath != "" {
			j.put(ch.OldPath, col)
		}
		if ch.Certainty == "" {
			j.wrong("%s is claimed without a certainty", ch.Path)
		}
	}
	for _, ch := range j.set.Meanwhile.Items {
		j.put(ch.Path, colMeanwhile)
	}
}

func (j *judge) put(path, col string) {
	was, is := slices.Index(columns, j.column(path)), slices.Index(columns, col)
	if is < was {
		j.listed[path] = col
	}
}

func (j *judge) column(path string) string {
	if col, ok := j.listed[path]; ok {
		return col
	}
	return colNone
}

func (j *judge) wrong(format string, args ...any) {
	j.s.violations = append(j.s.violations, fmt.Sprintf(format, args...))
}

// changes judges the lists of paths.
func (j *judge) changes() {
	j.list()
	j.switched = j.s.switched()
	tally := &j.tally.plain
	for _, path := range j.paths() {
		f := j.s.truth.of(path)
		was, is := j.s.start.files[path].text, j.s.now.files[path].text
		col := j.column(path)
		if was == is && col == colNone {
			continue
		}
		if f.undecidable {
			j.tally.undecidable.add(f.row(), col)
			continue
		}
		tally.add(f.row(), col)
		us := (f.touched | f.indexed | f.committed) & ours
		if us == 0 && (col == colShown || col == colLikely) {
			j.wrong("%s is %s, but it was touched by %s", path, col, f.row())
		}
		if was != is {
			j.moved(path, f, f.versions[is], col)
		}
	}
}

// moved judges a path that is not as it was.
func (j *judge) moved(path string, f *pathTruth, now version, col string) {
	_, was := j.s.start.files[path]
	_, is := j.s.now.files[path]
	if was && !j.shownAtStart[path] || is && !j.shownAtEnd[path] {
		j.tally.unseen++
		return
	}
	if now.last&ours == 0 || j.switched[path] && f.committed&ours == 0 {
		return
	}
	if col == colNone {
		j.wrong("%s is in no list, but it was changed last by %s", path, f.row())
	}
	sure := col == colShown || col == colLikely
	switch {
	case f.committed&theirs != 0:
		j.tally.taken.count(sure)
	case now.last == fileTool && !j.s.recovered:
		j.tally.tools.count(col == colShown)
		if col != colShown {
			j.s.note("NOT SHOWN %s: %s", path, col)
		}
	case now.last == shellNamed:
		j.tally.named.count(sure)
	case now.last == shellUnnamed:
		j.tally.unnamed.count(sure)
	}
}

// commits judges the list of commits.
func (j *judge) commits() {
	listed := map[string]bool{}
	for _, c := range j.set.Commits {
		listed[c.ID] = true
		if made, known := j.s.truth.commits[c.ID]; !known || made.by&ours == 0 {
			j.wrong("commit %s %q is listed, but %s made it", c.ID[:7], c.Subject, whoNames[made.by])
		}
	}
	for _, c := range j.set.PossibleCommits {
		listed[c.ID] = true
	}
	for _, id := range strings.Fields(j.s.git(append([]string{"rev-list"}, j.s.now.tips()...)...)) {
		if made := j.s.truth.commits[id]; made.by&ours != 0 {
			j.tally.commits.count(listed[id])
			if !listed[id] {
				j.wrong("commit %s is not listed, but the run made it", id[:7])
			}
		}
	}
}

// paths returns the paths that are listed or that any actor touched.
func (j *judge) paths() []string {
	all := slices.Collect(maps.Keys(j.listed))
	for path := range j.s.truth.paths {
		if _, too := j.listed[path]; !too {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}
