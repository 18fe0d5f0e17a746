package gitwatch

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agentflow/internal/testing/gittest"
)

// The matrix puts every shape of repository under every operation of a run
// and holds what the change set says against the git program.
//
// By default it runs a choice of matrixCases pairs, each shape and each
// operation many times. A longer run by hand, with pairs that come again under
// other random edits:
//
//	AGENTFLOW_MATRIX_SEED=7 AGENTFLOW_MATRIX_CASES=3000 go test ./gitwatch -run TestMatrix
//
// A case is repeated by its seed and its name, which a failure prints:
//
//	AGENTFLOW_MATRIX_SEED=7 AGENTFLOW_MATRIX_CASES=3000 go test ./gitwatch -run 'TestMatrix/^41_split_index_amend$'
const (
	matrixSeed  = 1
	matrixCases = 420
	matrixShort = 60 // with -short, and under the race detector
)

// matrixCase is one pair.
type matrixCase struct {
	shape *matrixShape
	op    matrixOp
	name  string
	seed  uint64
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// matrix chooses cases: all pairs in an order that the seed decides, again
// and again.
func matrix(seed uint64, shapes []*matrixShape, n int) []matrixCase {
	var pairs []matrixCase
	for _, s := range shapes {
		for _, o := range matrixOps {
			if s.takes(o) {
				pairs = append(pairs, matrixCase{shape: s, op: o})
			}
		}
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	var out []matrixCase
	for len(out) < n {
		rnd.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		out = append(out, pairs...)
	}
	out = out[:n]
	for i := range out {
		c := &out[i]
		c.name = fmt.Sprintf("%d %s %s", i, c.shape.name, c.op.name)
		h := fnv.New64a()
		fmt.Fprint(h, seed, c.name)
		c.seed = h.Sum64()
	}
	return out
}

func TestMatrix(t *testing.T) {
	base := apart(t)
	n := matrixCases
	if testing.Short() || raceEnabled {
		n = matrixShort
	}
	seed := uint64(number("AGENTFLOW_MATRIX_SEED", matrixSeed)) //nolint:gosec // any bits do
	shapes := matrixShapes(base)
	cases := matrix(seed, shapes, number("AGENTFLOW_MATRIX_CASES", n))
	var ran, without atomic.Int64
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.shape.prepare(t); c.shape.missing {
				without.Add(1) // this git does not know the shape
				return
			}
			ran.Add(1)
			c.run(t)
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d cases of %d shapes and %d operations; %d of shapes that this git cannot make", ran.Load(), len(shapes), len(matrixOps), without.Load())
	})
}

// apart takes the user's settings away for the whole test and returns a
// folder for what its cases share.
func apart(t *testing.T) string {
	t.Helper()
	if probe, err := os.MkdirTemp("/dev/shm", "matrix"); err == nil {
		gittest.Must(t, os.Remove(probe))
		t.Setenv("TMPDIR", "/dev/shm") // on a disk, half of the time goes into small files
	}
	base := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "gitconfig"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "xdg"))
	return base
}

// matrixRun is the repository of one case at work.
type matrixRun struct {
	*actor
	c     matrixCase
	start *oracleState
	want  expected

	unsure map[string]bool // paths of commits that cannot be compared
	left   map[string]bool // those of them for which edits are not compared, either
}

// expected describes the effect of an operation that the start and the end of the run do not show.
type expected struct {
	spans   []between       // the changes that Changes adds up; nil: from HEAD at the start to HEAD at the end
	theirs  map[string]bool // commits by others
	others  []between       // the changes of those
	touched []string
	shared  bool
	free    bool // nothing is known: Changes are compared where git's own answer is one diff
}

// between is the difference between two commits, of some paths or of all.
type between struct {
	from, to string
	only     []string
}

func (c matrixCase) run(t *testing.T) {
	base := t.TempDir()
	gittest.Must(t, copyTree(c.shape.base, base))
	f := &fixture{gittest.Repo{T: t, Dir: filepath.Join(base, c.shape.tree), Run: filepath.Join(base, "run"), Ticks: new(int)}}
	*f.Ticks = 1000
	gittest.Must(t, os.MkdirAll(f.Run, 0o700))
	m := &matrixRun{actor: &actor{fixture: f, rnd: rand.New(rand.NewPCG(c.seed, 2))}, c: c, start: c.shape.start, left: map[string]bool{}}
	if m.rnd.IntN(3) == 0 {
		_, _ = m.Try("update-index", "-q", "--refresh") // stat then shows that the files are unchanged
	}
	set := m.during(func() { m.act() }, func(ev *Evidence) {
		ev.Shared = m.want.shared
		wrote(ev, m.want.touched...)
		if !ev.Shared {
			wrote(ev, m.cleanBefore()...)
		}
	})
	m.compare(set)
	if t.Failed() {
		t.Logf("did:\n%s", strings.Join(m.log, "\n"))
	}
}

// cleanBefore are the paths that differ from HEAD now and did not before, with
// those that HEAD held at the start.
func (m *matrixRun) cleanBefore() []string {
	var paths []string
	_ = filepath.WalkDir(m.Dir, func(full string, d fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(m.Dir, full); err == nil && relErr == nil && !d.IsDir() {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	for path := range m.start.files {
		paths = append(paths, path)
	}
	paths = append(paths, fields(m.Git("log", "--all", "--name-only", "-z", "--format="))...)
	var theirs []string // what the run's tools wrote would be the run's in others' commits too
	for _, b := range m.want.others {
		theirs = append(theirs, fields(m.Git("diff", "--name-only", "-z", b.from, b.to))...)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return m.start.dirty[path] || m.start.unmerged[path] || slices.Contains(theirs, path)
	})
}

// act makes some edits, the operation, and some edits again.
func (m *matrixRun) act() {
	m.edits()
	m.c.op.do(m)
	m.edits()
}

// edits changes files that no operation is about.
func (m *matrixRun) edits() {
	for range m.rnd.IntN(3) {
		name := []string{"free/one.txt", "free/two.txt", "free/sub/three.txt", "free/new.txt", "free/x.log"}[m.rnd.IntN(5)]
		switch m.rnd.IntN(6) {
		case 0:
			_ = os.Remove(m.Path(name))
		case 1:
			_ = os.Chmod(m.Path(name), 0o755)
		default:
			m.edit(name)
		}
		m.log = append(m.log, "edit "+name)
	}
}

// do is git at the run's hands; what it refuses is part of the case.
func (m *matrixRun) do(args ...string) bool {
	_, err := m.Try(args...)
	m.log = append(m.log, fmt.Sprintf("git %s: %v", strings.Join(args, " "), err))
	return err == nil
}

// matrixShape is a shape, and its template, which is built once.
type matrixShape struct {
	name    string
	from    *matrixShape          // built first, and copied
	build   func(f *fixture)      // changes the copy
	tree    string                // the work tree, below base
	without string                // operations it does not take, by name
	needs   func(f *fixture) bool // whether this git can make it
	flags   shapeFlags

	once    sync.Once
	base    string
	start   *oracleState
	missing bool
}

// shapeFlags say what the oracle must know of a shape.
type shapeFlags struct {
	unborn   bool
	filtered bool // a filter converts between files and blobs: lines are not counted
}

func (s *matrixShape) takes(o matrixOp) bool {
	for name := range strings.SplitSeq(s.without, " ") {
		if name != "" && strings.HasPrefix(o.name, name) {
			return false
		}
	}
	return !s.flags.unborn || o.unborn
}
