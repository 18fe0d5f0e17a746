package attribution

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/internal/testing/gittest"
)

// undo reverts the paths that are surely the run's, and compares the result
// with the truth.
func (j *judge) undo() {
	s := j.s
	request, left := j.request()
	if len(request.Edits)+len(request.Committed) == 0 {
		j.tally.undos[left]++
		return
	}
	before := s.copyWorld(s.now)
	plan, err := undo.New(s.t.Context(), s.f.Open(), request)
	gittest.Must(s.t, err)
	defer plan.Close()
	if len(plan.Refused) > 0 {
		j.tally.undos["refused"]++
		j.tally.refusals[plan.Refused[0].Why]++
		if d := before.changed(s.copyWorld(before)); len(d) > 0 {
			j.wrong("an undo that was refused changed %q", d)
		}
		return
	}
	_, err = plan.Apply(s.t.Context())
	gittest.Must(s.t, err)
	j.tally.undos["applied, "+left]++
	after := s.copyWorld(nil)
	s.note("undo restored %q, removed %q, unstaged %q, revert %v", plan.Restore, plan.Remove, plan.Unstage, plan.Revert)
	for _, path := range before.changed(after) {
		was, is := before.files[path].text, after.files[path].text
		_, text, _ := strings.Cut(is, " ")
		j.undone(path, was, is, text == s.tryGit("show", before.at()+":"+path))
	}
	for _, path := range eitherKey(before.index, after.index) {
		if f := s.truth.of(path); before.index[path] != after.index[path] && (f.touched|f.indexed|f.committed)&ours == 0 {
			j.wrong("undo changed what is staged of %s, which was touched by %s", path, f.row())
		}
	}
	j.headAfter(before, after)
}

// request returns what `undo` reverts unless asked to revert possible changes
// too, and a note on what it leaves out.
func (j *judge) request() (undo.Request, string) {
	s := j.s
	request := undo.Request{Dir: s.f.Run, Temp: s.f.Run, Message: "Revert the run\n"}
	all, err := edits.Load(s.f.Run)
	if errors.Is(err, fs.ErrNotExist) {
		return request, "nothing changed"
	}
	gittest.Must(s.t, err)
	committed, err := edits.LoadCommitted(s.f.Run)
	gittest.Must(s.t, err)
	request.Moved, err = edits.LoadMoved(s.f.Run)
	gittest.Must(s.t, err)
	for _, e := range all {
		if j.sure(e) {
			request.Edits = append(request.Edits, e)
		}
	}
	for _, e := range committed {
		if j.sure(e) {
			request.Committed = append(request.Committed, e)
		}
	}
	if len(request.Committed) > 0 {
		for _, c := range j.set.Commits {
			request.Commits = append(request.Commits, c.ID)
		}
	}
	if n := len(all) + len(committed) - len(request.Edits) - len(request.Committed); n > 0 {
		return request, "some are not sure"
	}
	return request, "all are sure"
}

// sure counts a change that does not say how sure it is as claimed.
func (j *judge) sure(e edits.Change) bool {
	return e.Sure() || e.Certainty == "" && e.Mixed == edits.MixedNo
}

// undone judges a file that undo changed; held means that its present content
// is what HEAD held.
func (j *judge) undone(path, was, is string, held bool) {
	f, start := j.s.truth.of(path), j.s.start.files[path].text
	v, known := f.versions[was]
	switch {
	case f.undecidable:
		j.tally.undos["files where nobody could tell"]++
	case !known || v.by == 0:
		j.wrong("undo changed %s, which is as it was at the start", path)
	case v.last&ours != 0 && (is == v.from || f.committed&theirs != 0 && held), v.by&theirs == 0 && is == start:
		j.tally.undos["files taken back"]++
	case v.by&theirs == 0:
		j.wrong("undo left %s as %q; at the start it was %q", path, is, start)
	case f.committed&ours == 0:
		j.wrong("undo made %q of %s, which holds changes of somebody else: %q", is, path, was)
	default:
		j.merged(f, path, was, is)
	}
}

// merged judges a file with lines of others next to lines that the run
// committed: the lines of others have to stay.
func (j *judge) merged(f *pathTruth, path, was, is string) {
	now := lines(is)
	for line := range lines(was) {
		if f.theirLines[line] && !now[line] {
			j.wrong("undo took %q out of %s, which somebody else wrote", line, path)
		}
	}
	if strings.HasPrefix(was, "-") && !strings.HasPrefix(is, "-") {
		j.wrong("undo removed %s, which holds changes of somebody else", path)
	}
	j.tally.undos["files merged"]++
}

// headAfter judges the commit that undo made.
func (j *judge) headAfter(before, after *world) {
	s := j.s
	if before.at() == after.at() {
		return
	}
	if parent := strings.TrimSpace(s.git("rev-parse", after.at()+"^")); parent != before.at() {
		j.wrong("undo moved HEAD to a commit that is not on top of it")
	}
	for _, path := range split0(s.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", before.at(), after.at())) {
		f := s.truth.of(path)
		if f.committed&ours == 0 {
			j.wrong("undo reverted %s, which no commit of the run changed", path)
		}
		if f.undecidable {
			continue
		}
		now := lines(s.tryGit("cat-file", "-p", after.at()+":"+path))
		for line := range lines(s.tryGit("cat-file", "-p", before.at()+":"+path)) {
			if f.theirLines[line] && !now[line] {
				j.wrong("undo reverted %q of %s, which somebody else wrote", line, path)
			}
		}
	}
	for name, id := range before.refs {
		if after.refs[name] != id && !slices.Contains([]string{after.at()}, after.refs[name]) {
			j.wrong("undo moved %s", name)
		}
	}
}
