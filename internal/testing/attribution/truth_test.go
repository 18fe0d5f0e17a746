package attribution

import (
	"path"
	"slices"
	"strings"

	"agentflow/gitwatch/toolcalls"
)

// hands is a set of the actors that may change a file.
type hands uint8

const (
	fileTool     hands = 1 << iota // a file tool of the run's agent
	shellNamed                     // a shell call of the run that names the file as written
	shellUnnamed                   // one that does not
	background                     // a process that a call of the run left running
	silent                         // the run's agent, which does not report calls
	person
	other // another run

	ours   = fileTool | shellNamed | shellUnnamed | background | silent
	theirs = person | other
)

// step is one action of one actor, between two copies.
type step struct {
	who           hands // shellUnnamed for all that a shell call does
	call          *call // that it belongs to; nil for the person and for background processes
	amends        bool
	during        []*call // the run's calls that were on
	ended         []*call // those that had ended
	before, after *world
}

// truth holds what the copies show: who wrote what, for every path.
type truth struct {
	paths   map[string]*pathTruth
	commits map[string]commit // made since the start, by full id
}

// commit is a commit that was made, with the paths that it changed.
type commit struct {
	by    hands
	paths []string
}

// pathTruth is what really happened to one path.
type pathTruth struct {
	touched   hands // who changed its contents, its mode or its ctime
	indexed   hands // who changed its index entry
	committed hands // who changed it by a commit
	// versions maps each of its contents to its authors: a content that returns
	// keeps them.
	versions map[string]version
	// theirLines holds the lines that others wrote.
	theirLines map[string]bool
	hidden
	inside bool // others wrote it during a call of the run, just before or after one, or while a process that it left was running
}

// version is one content of a path.
type version struct {
	by   hands  // all authors with changes in it
	last hands  // who made it
	from string // what there was before the run's last changes of it
}

func newTruth(start *world) *truth {
	t := &truth{paths: map[string]*pathTruth{}, commits: map[string]commit{}}
	for path, file := range start.files {
		t.of(path).versions = map[string]version{file.text: {}}
	}
	return t
}

func (t *truth) of(path string) *pathTruth {
	f, known := t.paths[path]
	if !known {
		f = &pathTruth{versions: map[string]version{"": {}}, theirLines: map[string]bool{}}
		t.paths[path] = f
	}
	return f
}

// take takes in a step, and returns the paths that it changed.
func (t *truth) take(s *scenario, st step) []string {
	var moved []string
	for _, path := range eitherKey(st.before.files, st.after.files) {
		was, is := st.before.files[path], st.after.files[path]
		if was == is {
			continue
		}
		moved = append(moved, path)
		who := st.who
		if who == shellUnnamed && st.call.says(path) {
			who = shellNamed
		}
		t.of(path).change(was.text, is.text, who)
		if who&theirs != 0 {
			t.of(path).inside = t.of(path).inside || len(st.during) > 0 || !s.tells || len(s.processes) > 0 || s.apart == 0
		}
		t.of(path).hide(st, path, is)
	}
	for _, path := range eitherKey(st.before.index, st.after.index) {
		if st.before.index[path] != st.after.index[path] {
			t.of(path).indexed |= st.who
		}
	}
	t.takeCommits(s, st)
	return moved
}

func (f *pathTruth) change(was, is string, who hands) {
	f.touched |= who
	if was == is {
		return
	}
	if _, seen := f.versions[is]; !seen {
		old := f.versions[was]
		next := version{old.by | who, who, was}
		if who&ours != 0 && old.last&ours != 0 {
			next.from = old.from
		}
		f.versions[is] = next
	}
	if who&theirs != 0 {
		old := lines(was)
		for line := range lines(is) {
			if !old[line] {
				f.theirLines[line] = true
			}
		}
	}
}

func lines(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		out[line] = true
	}
	return out
}

// takeCommits takes in the commits that a step made.
func (t *truth) takeCommits(s *scenario, st step) {
	old, now := st.before.tips(), st.after.tips()
	if slices.Equal(old, now) {
		return
	}
	args := append([]string{"rev-list", "--reverse"}, now...)
	for _, id := range strings.Fields(s.git(append(append(args, "--not"), old...)...)) {
		c := commit{by: st.who}
		base := st.before.at()
		if !st.amends || base == "" {
			base = strings.TrimSpace(s.tryGit("rev-parse", "--verify", "--quiet", id+"^"))
		}
		if base == "" {
			base = emptyTree
		}
		c.paths = split0(s.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, id))
		for _, path := range c.paths {
			t.of(path).committed |= st.who
		}
		t.commits[id] = c
	}
}

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func split0(out string) []string {
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
}

// row reports the true author of a path, and how it was written.
func (f *pathTruth) row() string {
	us := (f.touched | f.indexed | f.committed) & ours
	them := f.touched & theirs
	switch {
	case us != 0 && them != 0 && f.touched&ours == 0:
		return rowSwept
	case us != 0 && them != 0:
		return rowBoth
	case f.touched&fileTool != 0:
		return rowFileTool
	case f.touched&shellNamed != 0:
		return rowNamed
	case f.touched&shellUnnamed != 0:
		return rowUnnamed
	case f.touched&background != 0:
		return rowBackground
	case f.touched&silent != 0:
		return rowSilent
	case us != 0:
		return rowGit
	case them != 0 && !f.inside:
		return rowBetween
	case them == person:
		return rowPerson
	case them != 0:
		return rowOther
	}
	return rowNobody
}

const (
	rowFileTool   = "the run's file tool"
	rowNamed      = "its shell, named"
	rowUnnamed    = "its shell, unnamed"
	rowBackground = "its background process"
	rowSilent     = "its agent that tells nothing"
	rowGit        = "the run, in git alone"
	rowBoth       = "the run and somebody else"
	rowSwept      = "somebody else, the run in git"
	rowPerson     = "the person only, near a call"
	rowOther      = "another run too, near a call"
	rowBetween    = "others only, between calls"
	rowNobody     = "nobody"
)

var rows = []string{
	rowFileTool, rowNamed, rowUnnamed, rowBackground, rowSilent, rowGit, rowBoth, rowSwept, rowPerson, rowOther, rowBetween, rowNobody,
}

// says reports whether the call says that it writes a path, or a folder above
// it, relative to the directory of its shell.
func (c *call) says(p string) bool {
	return c != nil && slices.ContainsFunc(c.writes, func(word string) bool { return means(path.Join(c.from, c.cwd, word), p) })
}

// means reports whether a word stands for a path or a folder above it.
func means(word, p string) bool {
	anywhere, below := strings.CutPrefix(word, toolcalls.Anywhere)
	for at := p; at != "."; at = path.Dir(at) {
		if ok, _ := path.Match(word, at); ok || at == word || below && (at == anywhere || strings.HasSuffix(at, "/"+anywhere)) {
			return true
		}
	}
	return false
}
