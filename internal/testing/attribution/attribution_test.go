package attribution

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
)

// scenariosVar names the variable with the number of scenarios.
const scenariosVar = "AGENTFLOW_SCENARIOS"

// TestAttribution lets an agent, a person and other runs work in one repository
// at the same time. It checks that paths shown as the run's, or as likely the
// run's, are never ones that only others touched; that nearly all changes by
// the agent's file tools are shown; that every change of the run is in some
// list; and that undo reverts to what was there before and removes nothing that
// others wrote.
func TestAttribution(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the actors use GNU's commands, and ctimes as Linux has them")
	}
	n := 40
	if text := os.Getenv(scenariosVar); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		gittest.Must(t, err)
	}
	base := makeBase(t)
	all := newTally()
	t.Cleanup(func() { t.Logf("\n%v", all) })
	randomtest.Check(t, n, func(t *testing.T, rnd *rand.Rand) {
		s := newScenario(t, rnd, base, filepath.Join(base.Run, fmt.Sprint(all.scenarios)))
		s.playOut(all)
		if all.scenarios == n && len(all.wrong) > 0 {
			t.Error(all.violations())
		}
	})
	if t.Failed() {
		return
	}
	// A usual round has about fifteen paths, so that a single one is more than
	// 5 percent.
	if all.tools.whole-all.tools.part > 1 && all.tools.percent() < 95 {
		t.Errorf("of what file tools changed, %v is shown", &all.tools)
	}
	if 3*all.inside < all.scenarios {
		t.Errorf("the person is at work inside a call in %d of %d scenarios", all.inside, all.scenarios)
	}
	if 10*all.undos["files taken back"] < all.scenarios {
		t.Errorf("%d files taken back: the undos are no test", all.undos["files taken back"])
	}
}

// playOut runs a scenario and judges the attribution.
func (s *scenario) playOut(all *tally) {
	t := s.t
	repo := s.f.Open()
	started := time.Now().Truncate(time.Millisecond)
	gittest.Must(t, os.WriteFile(filepath.Join(s.f.Run, "refs.log"), nil, 0o600))
	before, err := repo.Snapshot(t.Context(), s.f.Run, time.Time{}, nil)
	gittest.Must(t, err)
	visible := s.visible()
	s.play(8 + s.rnd.IntN(14))
	if s.rnd.IntN(4) == 0 {
		repo = s.f.Open()
	}
	set := repo.Compare(t.Context(), before, s.evidence(started))
	for _, c := range s.calls {
		c.on = false
	}
	s.note("commits %v possible %v\nchanges:\n%s\nuncommitted:\n%s\nmeanwhile:\n%s\n%q", set.Commits, set.PossibleCommits,
		show(set.Changes), show(set.Uncommitted), show(set.Meanwhile), set.Remarks)
	j := &judge{s: s, set: set, tally: all, shownAtStart: visible, shownAtEnd: s.visible()}
	j.changes()
	j.commits()
	if !s.ownTree && s.rnd.IntN(3) == 0 {
		s.personActs()
	}
	j.undo()
	all.count(s)
	if len(s.violations) > 0 {
		all.wrong = append(all.wrong, s)
	}
	gittest.Must(t, os.RemoveAll(s.main))
	gittest.Must(t, os.RemoveAll(s.dir))
	gittest.Must(t, os.RemoveAll(s.f.Run))
}

// count takes in what kind of scenario it was.
func (t *tally) count(s *scenario) {
	s.number = t.scenarios
	t.scenarios++
	for _, c := range []struct {
		n  *int
		is bool
	}{{&t.inside, s.inside}, {&t.telling, s.tells}, {&t.sharing, s.shared}, {&t.ownTrees, s.ownTree}, {&t.recovered, s.recovered}} {
		if c.is {
			*c.n++
		}
	}
}
