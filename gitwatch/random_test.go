package gitwatch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// actor does random things to a repository.
type actor struct {
	*fixture
	rnd *rand.Rand
	log []string
}

func (a *actor) file() string {
	listed, _ := a.Try("ls-files", "-z")
	names := fields(listed)
	if len(names) == 0 || a.rnd.IntN(8) == 0 {
		return fmt.Sprintf("d%d/n%d.txt", a.rnd.IntN(3), a.rnd.IntN(30))
	}
	return names[a.rnd.IntN(len(names))]
}

// text is lines of a small alphabet of words, so that diffs have choices.
func (a *actor) text() string {
	var b strings.Builder
	for range 5 + a.rnd.IntN(40) {
		fmt.Fprintf(&b, "line %d\n", a.rnd.IntN(60))
	}
	return b.String()
}

// edit changes a few lines of a file.
func (a *actor) edit(name string) {
	old, err := os.ReadFile(a.Path(name))
	if err != nil {
		_ = os.RemoveAll(a.Path(name))
		a.Write(name, a.text())
		return
	}
	lines := strings.SplitAfter(string(old), "\n")
	for range 1 + a.rnd.IntN(4) {
		i := a.rnd.IntN(len(lines))
		switch a.rnd.IntN(3) {
		case 0:
			lines[i] = fmt.Sprintf("edit %d\n", a.rnd.IntN(1000))
		case 1:
			lines = append(lines[:i:i], append([]string{fmt.Sprintf("new %d\n", a.rnd.IntN(1000))}, lines[i:]...)...)
		default:
			lines[i] = ""
		}
	}
	a.Write(name, strings.Join(lines, ""))
}

// act does one random thing; what git refuses is fine.
func (a *actor) act() {
	n := a.rnd.IntN(22)
	name := a.file()
	var err error
	switch n {
	case 0, 1, 2, 3:
		a.edit(name)
	case 4:
		a.Write(fmt.Sprintf("d%d/f%d.txt", a.rnd.IntN(3), a.rnd.IntN(100)), a.text())
	case 5:
		_ = os.Remove(a.Path(name))
	case 6:
		_, err = a.Try("mv", name, fmt.Sprintf("d%d/m%d.txt", a.rnd.IntN(3), a.rnd.IntN(100)))
	case 7:
		_ = os.Chmod(a.Path(name), 0o644|os.FileMode(a.rnd.IntN(2)*0o111))
	case 8, 9, 10:
		_, _ = a.Try("add", "-A")
		_, err = a.Try("commit", "-qm", fmt.Sprintf("commit %d", a.rnd.IntN(1000)))
	case 11:
		_, err = a.Try("commit", "-qm", "one path", "--", name)
	case 12:
		_, err = a.Try("commit", "-q", "--amend", "--no-edit", "-a")
	case 13:
		_, err = a.Try("reset", "-q", "--mixed", "HEAD~1")
	case 14:
		_, err = a.Try("checkout", "-q", "-B", fmt.Sprintf("br%d", a.rnd.IntN(3)))
	case 15:
		_, err = a.Try("checkout", "-q", fmt.Sprintf("br%d", a.rnd.IntN(3)))
	case 16:
		_, err = a.Try("merge", "-q", "--no-edit", "-X", "ours", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.Try("merge", "--abort")
		}
	case 17:
		_, err = a.Try("rebase", "-q", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.Try("rebase", "--abort")
		}
	case 18:
		_, err = a.Try("cherry-pick", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.Try("cherry-pick", "--abort")
		}
	case 19:
		_, err = a.Try("stash", "-q", "-u")
	case 20:
		_, err = a.Try("stash", "pop", "-q")
		if err != nil {
			_, _ = a.Try("reset", "-q", "--merge")
		}
	case 21:
		_, err = a.Try("revert", "--no-edit", "HEAD")
		if err != nil {
			_, _ = a.Try("revert", "--abort")
		}
	}
	a.log = append(a.log, fmt.Sprintf("%d %s: %v", n, name, err != nil))
}
