package undo

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
	"agentflow/internal/testing/runtest"
)

// tree is what a work tree holds: "MODE contents" by path, without what git keeps in .git.
type tree map[string]string

func readTree(t testing.TB, dir string) tree {
	t.Helper()
	out := tree{}
	gittest.Must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if err != nil || filepath.Base(rel) == ".git" {
			return cmpErr(err, filepath.SkipDir)
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		gittest.Must(t, err)
		mode := uint32(git.ModeFile)
		if info.Mode()&os.ModeSymlink != 0 {
			mode = git.ModeLink
		}
		data, err := git.ReadFile(name, mode, git.MaxRead)
		gittest.Must(t, err)
		out[filepath.ToSlash(rel)] = fmt.Sprintf("%v %s", info.Mode(), data)
		return nil
	}))
	return out
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// differ lists the paths that two trees hold differently.
func (a tree) differ(b tree) []string {
	var out []string
	for path := range a {
		if a[path] != b[path] {
			out = append(out, path)
		}
	}
	for path := range b {
		if _, both := a[path]; !both {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// hand does random things to files, as a run or as the user, and knows which.
type hand struct {
	*runtest.Repo
	rnd     *rand.Rand
	touched map[string]bool
	log     []string
}

func (h *hand) note(format string, paths ...string) {
	for _, p := range paths {
		h.touched[p] = true
	}
	h.log = append(h.log, fmt.Sprintf(format+" %q", paths))
}

// name is the path of a file that is there, or of a new one.
func (h *hand) name() string {
	names := slices.Sorted(maps.Keys(readTree(h.T, h.Dir)))
	if len(names) == 0 || h.rnd.IntN(5) == 0 {
		return fmt.Sprintf("%s%d", randomtest.Pick(h.rnd, "n", "d/n", "d/e/n", "sp ace/n", "q\"\n"), h.rnd.IntN(20))
	}
	return names[h.rnd.IntN(len(names))]
}

func (h *hand) text() string {
	var b strings.Builder
	for range h.rnd.IntN(30) {
		fmt.Fprintf(&b, "line %d\n", h.rnd.IntN(50))
	}
	if h.rnd.IntN(8) == 0 {
		b.WriteString("\x00\x01binary")
	}
	if h.rnd.IntN(4) == 0 {
		b.WriteString("no newline")
	}
	return b.String()
}

// put replaces anything at a path or in its way.
func (h *hand) put(name string, write func(full string) error) {
	full := h.Path(name)
	for dir := filepath.Dir(full); dir != h.Dir; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			rel, _ := filepath.Rel(h.Dir, dir)
			h.note("displace", filepath.ToSlash(rel))
			gittest.Must(h.T, os.Remove(dir))
		}
	}
	h.clear(name)
	gittest.Must(h.T, os.MkdirAll(filepath.Dir(full), 0o755))
	gittest.Must(h.T, write(full))
}

// clear removes a path with all below it.
func (h *hand) clear(name string) {
	for path := range readTree(h.T, h.Dir) {
		if path == name || strings.HasPrefix(path, name+"/") {
			h.note("remove", path)
		}
	}
	gittest.Must(h.T, os.RemoveAll(h.Path(name)))
}

// edit changes a line or two of a file, or rewrites it.
func (h *hand) edit(name string) {
	h.note("edit", name)
	info, err := os.Lstat(h.Path(name))
	if err != nil || !info.Mode().IsRegular() {
		h.put(name, func(full string) error { return os.WriteFile(full, []byte(h.text()), 0o644) })
		return
	}
	old, err := os.ReadFile(h.Path(name))
	gittest.Must(h.T, err)
	lines := strings.SplitAfter(string(old), "\n")
	lines[h.rnd.IntN(len(lines))] = fmt.Sprintf("edited %d\n", h.rnd.IntN(1000))
	gittest.Must(h.T, os.WriteFile(h.Path(name), []byte(strings.Join(lines, "")), 0o644))
}

// act does one random thing without git.
func (h *hand) act() {
	name := h.name()
	switch h.rnd.IntN(9) {
	case 0, 1, 2:
		h.edit(name)
	case 3:
		h.note("write", name)
		h.put(name, func(full string) error { return os.WriteFile(full, []byte(h.text()), 0o644) })
	case 4:
		h.clear(name)
	case 5:
		to := h.name()
		if _, err := os.Lstat(h.Path(name)); err != nil || to == name || strings.HasPrefix(to, name+"/") || strings.HasPrefix(name, to+"/") {
			return
		}
		for path := range readTree(h.T, h.Path(name)) {
			h.note("rename", name+"/"+path, to+"/"+path)
		}
		h.note("rename", name, to)
		h.put(to, func(full string) error { return os.Rename(h.Path(name), full) })
	case 6:
		if info, err := os.Lstat(h.Path(name)); err == nil && info.Mode().IsRegular() {
			h.note("chmod", name)
			gittest.Must(h.T, os.Chmod(h.Path(name), info.Mode().Perm()^0o111))
		}
	case 7:
		h.note("link", name)
		h.put(name, func(full string) error { return os.Symlink("some/where", full) })
	case 8:
		below := name + "/below"
		h.note("folder", below)
		h.put(below, func(full string) error { return os.WriteFile(full, []byte("below\n"), 0o644) })
	}
}

// commitSome commits everything, or the staged changes of one path.
func (h *hand) commitSome() {
	if h.rnd.IntN(3) > 0 {
		h.Git("add", "-A")
		_, err := h.Try("commit", "-qm", "all")
		h.log = append(h.log, fmt.Sprint("commit all ", err == nil))
		return
	}
	name := h.name()
	_, err := h.Try("add", "--", name)
	if err == nil {
		_, err = h.Try("commit", "-qm", "one", "--", name)
	}
	h.log = append(h.log, fmt.Sprintf("commit %q %v", name, err == nil))
}

// move moves HEAD, or the user's changes away.
func (h *hand) move() {
	for path := range readTree(h.T, h.Dir) {
		h.touched[path] = true
	}
	for _, path := range strings.FieldsFunc(h.Git("ls-files", "-z")+h.Git("ls-tree", "-r", "-z", "--name-only", "HEAD"), isNul) {
		h.touched[path] = true
	}
	args := randomtest.Pick(h.rnd, []string{"reset", "-q", "--hard", "HEAD~1"}, []string{"stash", "-q", "-u"},
		[]string{"reset", "-q", "--mixed", "HEAD~1"}, []string{"commit", "-q", "--amend", "--no-edit", "-a"})
	_, err := h.Try(args...)
	for _, path := range strings.FieldsFunc(h.Git("ls-files", "-z"), isNul) {
		h.touched[path] = true
	}
	h.log = append(h.log, fmt.Sprint(args, err))
}

// state is all of a repository that a refused undo may not change.
func (h *hand) state() string {
	index, err := os.ReadFile(h.Path(".git/index"))
	gittest.Must(h.T, err)
	head, err := os.ReadFile(h.Path(".git/refs/heads/main"))
	gittest.Must(h.T, err)
	return string(index) + string(head)
}

func isNul(r rune) bool { return r == 0 }
