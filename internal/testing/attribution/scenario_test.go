package attribution

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// scenario is a repository in which a run, a person and other runs work at the
// same time, one step after the other.
type scenario struct {
	t     *testing.T
	rnd   *rand.Rand
	clock fileClock
	f     *runtest.Repo

	main, dir, gitDir, commonDir string // main is where the person works: dir but in a linked work tree

	tells     bool // the run's agent reports its calls
	ownTree   bool // the run has a linked work tree that was made for it
	shared    bool // another run is at work in the same work tree
	recovered bool // the run is cut short, and found by a later command
	// keepsFolder: the agent's shell keeps its folder from call to call.
	keepsFolder, moved bool
	folder             string

	start, now *world
	truth      *truth
	calls      []*call // of the run
	others     []*call // of the other run
	processes  []*process
	inside     bool // the person did something while a call of the run was on
	turn       hands
	collides   bool // the person makes changes that cannot be distinguished from the run's
	// apart is the least time between steps: longer than the lag of file
	// systems' clocks, or just enough to show their order.
	apart      time.Duration
	words      int
	log        []string
	number     int
	violations []string
}

func newScenario(t *testing.T, rnd *rand.Rand, base *runtest.Repo, dir string) *scenario {
	t.Helper()
	s := &scenario{t: t, rnd: rnd, clock: newFileClock(t, filepath.Dir(dir)), main: dir, dir: dir}
	gittest.Must(t, os.CopyFS(dir, os.DirFS(base.Dir)))
	s.f = base.At(dir, dir+".run")
	s.tells, s.ownTree, s.shared = rnd.IntN(5) > 0, rnd.IntN(10) == 0, rnd.IntN(3) == 0
	s.recovered, s.keepsFolder = rnd.IntN(20) == 0, rnd.IntN(6) == 0
	if rnd.IntN(2) == 0 {
		s.apart = 2 * lag
	}
	s.gitDir, s.commonDir = filepath.Join(dir, ".git"), filepath.Join(dir, ".git")
	for range rnd.IntN(4) {
		s.turn = person
		s.run(s.main, "", s.personStep(s.word("earlier")))
	}
	s.turn = 0
	if rnd.IntN(4) == 0 {
		s.run(s.main, "", "sed -i '1s/.*/mine/' cfg.ini; git update-index --assume-unchanged cfg.ini")
	}
	if s.ownTree {
		s.dir = dir + ".tree"
		s.git("worktree", "add", "-q", "-b", "run", s.dir)
		s.f = base.At(s.dir, s.f.Run)
		s.gitDir = filepath.Join(s.commonDir, "worktrees", filepath.Base(s.dir))
		s.shared = false
	}
	s.now = s.copyWorld(nil)
	s.start, s.truth = s.now, newTruth(s.now)
	return s
}

// step lets one actor act, and records what it changed.
func (s *scenario) step(who hands, c *call, what string, amends bool, act func() string) {
	s.t.Helper()
	st := step{who: who, call: c, amends: amends, before: s.now}
	for _, on := range s.calls {
		switch {
		case on.on && s.tells:
			st.during = append(st.during, on)
			s.inside = s.inside || who == person
		case s.tells:
			st.ended = append(st.ended, on)
		}
	}
	s.clock.tick(s.apart)
	at := time.Now()
	said := act()
	s.now = s.copyWorld(s.now)
	st.after = s.now
	moved := s.truth.take(s, st)
	s.lateLook()
	s.note("%s %s%s: %s %s -> %q", stamp(at), whoNames[who], c.label(), what, strings.TrimSpace(said), moved)
}

func (s *scenario) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) string { return t.Format("05.000000") }

var whoNames = map[hands]string{
	fileTool: "file tool", shellUnnamed: "shell", background: "background process", silent: "agent", person: "person", other: "other run",
}

// play lets the actors take turns, in any order, and ends the run.
func (s *scenario) play(steps int) {
	begun := time.Now()
	for range steps {
		switch n := s.rnd.IntN(10); {
		case n < 4:
			s.personActs()
		case n < 6 && s.shared:
			s.others = s.callOn(s.others, other)
		case n < 7 && len(s.processes) > 0:
			s.processes[s.rnd.IntN(len(s.processes))].act()
		default:
			s.calls = s.callOn(s.calls, ours)
		}
	}
	for _, c := range slices.Concat(s.calls, s.others) {
		for c.on && !(s.recovered && c == s.calls[len(s.calls)-1]) {
			c.goOn()
		}
	}
	for _, p := range s.processes {
		p.end()
	}
	for n := s.rnd.IntN(3); s.recovered && n > 0; n-- {
		s.personActs()
	}
	s.note("%s the run ends; it began at %s", stamp(time.Now()), stamp(begun))
}

// callOn continues one of the calls, or begins another: up to two are active at
// a time.
func (s *scenario) callOn(list []*call, whose hands) []*call {
	var on []*call
	for _, c := range list {
		if c.on {
			on = append(on, c)
		}
	}
	if len(on) == 0 || len(on) == 1 && s.rnd.IntN(6) == 0 {
		return append(list, s.newCall(whose))
	}
	on[s.rnd.IntN(len(on))].goOn()
	return list
}

func (s *scenario) personActs() {
	s.turn, s.collides = person, s.rnd.IntN(12) == 0
	script := s.personStep(s.word("person"))
	s.turn = 0
	s.step(person, nil, script, amends(script), func() string { return s.run(s.main, "", script) })
}

// evidence returns what an executor would know of the run.
func (s *scenario) evidence(started time.Time) gitwatch.Evidence {
	ev := gitwatch.Evidence{
		Dir: s.f.Run, Started: started, Ended: time.Now(), Shared: s.shared, Recovered: s.recovered,
		Keep: func([]byte) bool { return true }, Tells: s.tells, OwnTree: s.ownTree,
	}
	if s.recovered {
		ev.Ended = time.Time{}
	}
	for _, c := range s.calls {
		if !s.tells {
			break
		}
		told := c.told
		if c.on { // it is unknown whether it wrote
			told.Wrote = nil
		}
		ev.Calls = append(ev.Calls, told)
	}
	for _, c := range s.others {
		ev.Others = append(ev.Others, c.told)
	}
	return ev
}
