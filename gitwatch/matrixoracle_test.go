package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/testing/gittest"
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
	f.T.Helper()
	o := &oracleState{base: base, up: map[string]bool{}}
	place := func(name string) string {
		path := strings.TrimSpace(f.Git("rev-parse", "--git-path", name))
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.Dir, path)
		}
		rel, err := filepath.Rel(base, path)
		gittest.Must(f.T, err)
		return rel
	}
	o.index, o.objects = place("index"), place("objects")
	head, _ := f.Try("rev-parse", "-q", "--verify", "HEAD")
	o.head = strings.TrimSpace(head)
	o.tips = append(strings.Fields(f.Git("for-each-ref", "--format=%(objectname)")), strings.Fields(o.head)...)
	if up := filepath.Join(base, "up"); onDisk(up) {
		for _, id := range strings.Fields(f.Git("-C", up, "rev-list", "--all")) {
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
	for _, record := range fields(f.Git("ls-files", "-u", "-z")) {
		_, path, _ := strings.Cut(record, "\t")
		paths[path] = true
	}
	return paths
}

// stagedTree is the work tree, added to a separate index with separate objects.
type stagedTree struct{ *fixture }

// staged adds the whole work tree to a copy of the index. Its objects go to a
// folder of their own, so that nothing can be found in the repository that
// was not there. The copy keeps the time of the index, which decides whether git looks at the
// contents of files that are as young.
func (f *fixture) staged(o *oracleState, base string) stagedTree {
	f.T.Helper()
	own := filepath.Join(base, "oracle")
	gittest.Must(f.T, os.MkdirAll(own, 0o755))
	index := filepath.Join(own, "index")
	if info, err := os.Stat(filepath.Join(base, o.index)); err == nil {
		gittest.Must(f.T, copyFile(filepath.Join(base, o.index), index, info))
	}
	s := *f
	s.Trace = false
	s.Extra = []string{
		"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + own,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(base, o.objects) + string(os.PathListSeparator) + filepath.Join(o.base, "oracle"),
	}
	s.lookAtAll()
	s.Git("-c", "core.splitIndex=false", "-c", "core.fsmonitor=", "-c", "core.untrackedCache=false", "-c", "advice.addEmbeddedRepo=false",
		"-c", "core.safecrlf=false", "add", "-A", "--sparse")
	return stagedTree{&s}
}

// lookAtAll makes git look at the files that are marked as unchanged, except those that a sparse
// checkout leaves out.
func (f *fixture) lookAtAll() {
	sparse, _ := f.Try("config", "--type=bool", "core.sparseCheckout")
	var paths []string
	for _, record := range fields(f.Git("ls-files", "-v", "-z")) {
		tag, path, _ := strings.Cut(record, " ")
		info, err := os.Lstat(f.Path(path))
		left := err != nil && tag == "S" && strings.TrimSpace(sparse) == "true"
		if (tag == "S" || tag != strings.ToUpper(tag)) && !left && (err != nil || !info.IsDir()) {
			paths = append(paths, path)
		}
	}
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if len(paths) > 0 {
			f.Git(append([]string{"-c", "core.splitIndex=false", "update-index", flag, "--"}, paths...)...)
		}
	}
}

func (s stagedTree) headTree(head string) string {
	if head == "" {
		return strings.TrimSpace(s.Git("hash-object", "-t", "tree", "/dev/null"))
	}
	return head
}

// files lists what was added. A repository within, which no index names, is
// not entered.
func (s stagedTree) files() map[string]diffLine {
	out := map[string]diffLine{}
	for _, record := range fields(s.Git("ls-files", "-s", "-z")) {
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
	f.T.Helper()
	how := "--no-renames"
	if renames {
		how = "-M"
	}
	ask := append([]string{args[0], how, "-r", "-z", "--raw", "--numstat", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}, args[1:]...)
	records := fields(f.Git(ask...))
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

// diff leaves out the nested repository, which is only in this index.
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
