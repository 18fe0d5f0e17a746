package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

var tracked = []string{"a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "long.txt", "exec.sh", "odd\nname", "latin\xe9.txt"}

// some returns a tracked file that is in the work tree, else a new one.
func (m *matrixRun) some() string {
	for range 8 {
		name := tracked[m.rnd.IntN(len(tracked))]
		if info, err := os.Lstat(m.Path(name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return fmt.Sprintf("n%d.txt", m.rnd.IntN(100))
}

func (m *matrixRun) head() string {
	out, _ := m.Try("rev-parse", "-q", "--verify", "HEAD")
	return strings.TrimSpace(out)
}

func (m *matrixRun) gitLine(args ...string) string { return strings.TrimSpace(m.Git(args...)) }

// record edits files and commits only those.
func (m *matrixRun) record(names ...string) bool {
	for _, name := range names {
		m.edit(name)
	}
	return m.do(append([]string{"add", "-f", "--sparse", "--"}, names...)...) &&
		m.do(append([]string{"commit", "-q", "-m", "run: " + git.OneLine(names[0]), "--"}, names...)...)
}

// nothing says that Changes are empty.
func (m *matrixRun) nothing() { m.want.spans = []between{} }

// moves is an operation that makes no commit of the run's own.
func moves(args ...string) func(*matrixRun) {
	return func(m *matrixRun) { m.nothing(); m.do(args...) }
}

// outside is git at somebody else's hands.
func (m *matrixRun) outside() *fixture {
	other := *m.fixture
	other.Trace = false
	return &other
}

// force is a push by somebody else that replaces main in the remote.
func (m *matrixRun) force(branch string) {
	up := filepath.Join(m.Dir, "..", "up")
	id := m.Git("-C", up, "rev-parse", branch)
	gittest.Must(m.T, os.WriteFile(filepath.Join(up, "refs", "heads", "main"), []byte(id), 0o644))
}

// anything does a sequence of things that a run may do.
func (m *matrixRun) anything() {
	m.want.free = true
	for range 3 + m.rnd.IntN(8) {
		m.actor.act()
	}
}
