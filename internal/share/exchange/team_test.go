package exchange

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/randomtest"
)

// TestMain lets the test binary act as a process that syncs, and is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("EXCHANGE_TEST_DIR"); dir != "" {
		w := &team{}
		if _, err := w.at(dir, os.Getenv("EXCHANGE_TEST_NAME")).Exchange(context.Background(), Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// person is a member, and the expected state of their text.
type person struct {
	*member
	alive  map[string]bool // entries
	synced map[string]bool // that a sync took since they were written
	gone   map[string]bool // forgotten
	before string          // the user's state in git
}

// crowd is a team whose members act.
type crowd struct {
	*team
	rng    *rand.Rand
	people []*person
	tips   []string // of the remote, those too that were before a purge
	purged []string // texts
	said   map[string]string
}

func number(t testing.TB, name string, otherwise int) int {
	if s := os.Getenv(name); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		return n
	}
	return otherwise
}

// TestCrowd: eight clones, each with a wrong clock, write, forget, purge and edit, sync, are
// killed, lose their memory and their state, and the remote loses its ref. Afterwards all
// agree, no text is lost, no forgotten text is back, and all users' branches, indexes, work
// trees and stashes are unchanged. AGENTFLOW_SHARE_ROUNDS and AGENTFLOW_SHARE_ENTRIES make it
// longer.
func TestCrowd(t *testing.T) { randomtest.Check(t, 1, testCrowd) }

func testCrowd(t *testing.T, rng *rand.Rand) {
	c := &crowd{team: newTeam(t), rng: rng, said: map[string]string{}}
	for i := range 8 {
		p := &person{member: c.join(fmt.Sprint("Person ", i)), alive: map[string]bool{}, synced: map[string]bool{}, gone: map[string]bool{}}
		c.skew(p)
		p.before = p.users()
		c.people = append(c.people, p)
		for range number(t, "AGENTFLOW_SHARE_ENTRIES", 10) {
			c.write(p)
		}
		c.exchange(p, Options{})
	}
	for range number(t, "AGENTFLOW_SHARE_ROUNDS", 120) {
		c.act(c.people[c.rng.IntN(len(c.people))])
	}
	c.settle()
}

func (c *crowd) write(p *person) {
	text := fmt.Sprintf("Okapi %x of %s", c.rng.Uint64(), p.name)
	id := p.add(c.rng.IntN(25), text)
	p.alive[id], c.said[id] = true, text
}

func (c *crowd) exchange(p *person, o Options) {
	if _, err := p.Exchange(c.Context(), o); err != nil {
		c.Fatalf("%s: %v", p.name, err)
	}
	for id := range p.alive {
		p.synced[id] = true
	}
	if tip := git(c, c.remote, "for-each-ref", "--format=%(objectname)", Ref); tip != "" { // an exchange with Unmoved leaves a lost ref lost
		c.tips = append(c.tips, tip)
	}
}

// act lets a random event happen to a person.
func (c *crowd) act(p *person) {
	n := c.rng.IntN(100)
	c.Logf("%s: %d (%d entries)", p.name, n, c.next)
	switch {
	case n < 30:
		c.write(p)
	case n < 40:
		c.forget(p)
	case n < 43:
		if id := c.forget(p); id != "" {
			c.exchange(p, Options{Purge: true})
			text, _, _ := strings.Cut(c.said[id], ", by hand")
			c.purged = append(c.purged, text)
		}
	case n < 50:
		c.edit(p)
	case n < 75:
		c.exchange(p, Options{Unmoved: c.rng.IntN(3) == 0})
	case n < 85:
		c.kill(p)
	case n < 89:
		c.skew(p)
	case n < 93:
		c.lose(p)
	case n < 95:
		must(c, os.RemoveAll(p.Mirror))
	case n < 97:
		_ = os.Remove(p.stateFile())
	case n < 99 && len(c.tips) > 0:
		git(c, c.remote, "update-ref", Ref, c.tips[c.rng.IntN(len(c.tips))])
	default:
		git(c, c.remote, "update-ref", "-d", Ref)
	}
}

// skew sets a person's clock up to six weeks wrong, either way.
func (c *crowd) skew(p *person) {
	by := time.Duration(c.rng.IntN(2000)-1000) * time.Hour
	p.Now = func() time.Time { return time.Now().Add(by) }
}

func (c *crowd) forget(p *person) string {
	ids := sortedKeys(p.alive)
	if len(ids) == 0 {
		return ""
	}
	id := ids[c.rng.IntN(len(ids))]
	delete(p.alive, id)
	p.gone[id] = true
	must(c, os.WriteFile(filepath.Join(p.dir, ".git/gone"), []byte(strings.Join(sortedKeys(p.gone), "\n")), 0o600))
	p.drop(id)
	return id
}

// edit changes the text of an entry by hand.
func (c *crowd) edit(p *person) {
	ids := sortedKeys(p.alive)
	if len(ids) == 0 {
		return
	}
	id := ids[c.rng.IntN(len(ids))]
	now := c.said[id] + ", by hand"
	files, err := filepath.Glob(filepath.Join(p.Memory, "*.md"))
	must(c, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		must(c, err)
		if edited := strings.ReplaceAll(string(text), c.said[id], now); edited != string(text) {
			must(c, os.WriteFile(path, []byte(edited), 0o600))
		}
	}
	c.said[id] = now
}

// kill ends a process that syncs.
func (c *crowd) kill(p *person) {
	self, err := os.Executable()
	must(c, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "EXCHANGE_TEST_DIR="+p.dir, "EXCHANGE_TEST_NAME="+p.name)
	must(c, cmd.Start())
	end := time.AfterFunc(time.Duration(c.rng.IntN(120))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	end.Stop()
	if out, err := exec.Command("git", "-C", c.remote, "rev-parse", "--verify", "--quiet", Ref).Output(); err == nil {
		c.tips = append(c.tips, strings.TrimSpace(string(out)))
	}
}

// lose removes a person's memory. Text that was not synced is lost; the log of a real memory
// would restore it.
func (c *crowd) lose(p *person) {
	c.exchange(p, Options{})
	must(c, os.RemoveAll(filepath.Join(p.dir, ".agentflow")))
	if c.rng.IntN(2) == 0 {
		c.exchange(p, Options{})
	}
}

// settle syncs all clones until nothing changes, and checks what they see.
func (c *crowd) settle() {
	for range 4 {
		for _, p := range c.people {
			p.Now = time.Now
			c.exchange(p, Options{})
		}
	}
	var want []string
	gone := map[string]bool{}
	for _, p := range c.people {
		want = append(want, sortedKeys(p.alive)...)
		for id := range p.gone {
			gone[id] = true
		}
	}
	slices.Sort(want)
	for _, p := range c.people {
		if got := p.sees(); !slices.Equal(got, want) {
			c.Errorf("%s sees %d entries, not %d: lost %v, back or more %v", p.name, len(got), len(want), without(want, got), without(got, want))
		}
		if after := p.users(); after != p.before {
			c.Errorf("%s: what is the user's was\n%s\nand is\n%s", p.name, p.before, after)
		}
		c.forgot(p.dir)
	}
	c.forgot(c.remote)
	for id := range gone {
		if slices.Contains(want, id) {
			c.Errorf("%s is forgotten and alive", id)
		}
	}
	git(c, c.remote, "fsck", "--strict")
	c.Logf("%d entries of %d people, %d forgotten, %d purged", len(want), len(c.people), len(gone), len(c.purged))
}

// forgot checks that no ref of a repository leads to purged text.
func (c *crowd) forgot(dir string) {
	for _, commit := range strings.Fields(git(c, dir, "rev-list", "--glob=refs/agentflow")) {
		for _, text := range c.purged {
			if exec.Command("git", "-C", dir, "grep", "-qF", text, commit).Run() == nil {
				c.Errorf("%s: %q was purged, and stands in %s\n%s", dir, text, commit, git(c, dir, "for-each-ref"))
			}
		}
	}
}

func sortedKeys(m map[string]bool) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// BenchmarkNothingNew compares a sync without changes with 'git fetch' of the ref.
func BenchmarkNothingNew(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newTeam(b)
			m, other := w.join("Ada"), w.join("Bob")
			for i := range n {
				m.add(i%27, fmt.Sprintf("Entry %d is about the pump of hall %d and what it does at night.", i, i*7919))
			}
			old := time.Now().Add(-time.Hour)
			files, err := filepath.Glob(filepath.Join(m.Memory, "*.md"))
			must(b, err)
			for _, f := range files {
				must(b, os.Chtimes(f, old, old))
			}
			m.Now = func() time.Time { return time.Now().Add(time.Hour) } // no file is fresh
			m.sync(Options{})
			other.sync(Options{})
			m.sync(Options{})
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				m.sync(Options{})
				ours += time.Since(start)
				start = time.Now()
				git(b, m.dir, "fetch", "--quiet", "origin", "+"+Ref+":refs/agentflow/fetched")
				theirs += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "timesFetch")
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(size(b, w.remote), "remote-KB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// size returns the size of a packed repository, in KB.
func size(b *testing.B, dir string) float64 {
	git(b, dir, "gc", "--quiet")
	var sum int64
	must(b, filepath.WalkDir(filepath.Join(dir, "objects"), func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	}))
	return float64(sum) / 1000
}
