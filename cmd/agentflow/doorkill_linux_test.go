package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/memory/retrieval"
)

// TestKilledDoors ends each door with SIGKILL at random moments, while four
// writers store, edit and forget facts and write notes through it. Each acknowledged
// change is there once. The one unanswered command of each writer is done completely or
// not at all, and a repeated store makes no second fact.
// AGENTFLOW_KILLS sets how often: a tenth of it is for each door.
// AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledDoors(t *testing.T) {
	kills := max(number(t, "AGENTFLOW_KILLS", 30)/10, 2)
	seed := seed(t)
	for name, open := range map[string]func(*doorKills, int) []killable{"http": (*doorKills).overRoutes, "mcp over http": (*doorKills).overMCP, "mcp over stdio": (*doorKills).overStdio} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // much of it is waiting for the disk
			random := rand.New(rand.NewPCG(seed, 1))
			for left := kills; left > 0; left -= killsOfOne {
				k := newDoorKills(t, random)
				for round := 0; round < min(killsOfOne, left) || round < killsOfOne && !k.stored(); round++ {
					k.round(round, open)
				}
				k.check()
			}
		})
	}
}

// killsOfOne is how often the doors of one repository are killed: a small one
// acknowledges more between two kills.
const killsOfOne = 20

const (
	notesFolder = ".agentflow/memory/notes"
	sharedNote  = notesFolder + "/shared.md"
)

// doorKills is a repository with doors that get killed.
type doorKills struct {
	*lab
	t       *testing.T
	random  *rand.Rand
	writers [4]*doorWriter
}

func newDoorKills(t *testing.T, random *rand.Rand) *doorKills {
	k := &doorKills{lab: newLab(t, ""), t: t, random: random}
	k.Agentflow("init")
	k.Write(sharedNote, "the end\n")
	for i := range k.writers {
		name := fmt.Sprintf("w%d", i)
		k.writers[i] = &doorWriter{t: t, name: name, folder: k.Path(notesFolder + "/" + name), rand: rand.New(rand.NewPCG(random.Uint64(), 3)), notes: map[string]string{}}
	}
	return k
}

// stored reports whether a fact was acknowledged: on a busy machine a few kills may all come
// before.
func (k *doorKills) stored() bool {
	return slices.ContainsFunc(k.writers[:], func(w *doorWriter) bool {
		return slices.ContainsFunc(w.facts, func(f *writtenFact) bool { return !f.doubt && !f.forgotten() && len(f.was) == 0 })
	})
}

// killable is a process and the ways to memory through it.
type killable struct {
	process *os.Process
	doors   []memoryDoor
	reap    func()
}

func (k *doorKills) overRoutes(round int) []killable {
	s := k.serving()
	one := killable{process: s.cmd.Process, reap: s.kill}
	for i := range k.writers {
		one.doors = append(one.doors, httpDoor{s, fmt.Sprintf("%d-%d", round, i)})
	}
	return []killable{one}
}

func (k *doorKills) overMCP(int) []killable {
	s := k.serving("--memory-tool")
	one := killable{process: s.cmd.Process, reap: s.kill}
	for range k.writers {
		one.doors = append(one.doors, mcpDoor{k.t, connectMCP(k.t, s.overHTTP())})
	}
	return []killable{one}
}

// overStdio starts a server for each writer, as agents do. The servers are killed at
// different moments.
func (k *doorKills) overStdio(int) (all []killable) {
	for range k.writers {
		cmd := k.Command("mcp", "--memory-tool")
		session := connectMCP(k.t, overStdio(cmd))
		all = append(all, killable{cmd.Process, []memoryDoor{mcpDoor{k.t, session}}, func() { _ = session.Close() }})
	}
	return all
}

// round has writers write until their servers are killed.
func (k *doorKills) round(round int, open func(*doorKills, int) []killable) {
	k.t.Helper()
	var writing sync.WaitGroup
	next := 0
	for _, p := range open(k, round) {
		killed := make(chan struct{})
		time.AfterFunc(upTo(k.random, 400*time.Millisecond), func() { close(killed); _ = p.process.Kill() })
		var through sync.WaitGroup
		for _, d := range p.doors {
			w := k.writers[next]
			next++
			through.Go(func() {
				if w.write(d) {
					<-killed
				}
				select {
				case <-killed:
				default:
					k.t.Errorf("%s had no answer before the kill", w.name)
				}
			})
		}
		writing.Go(func() { through.Wait(); p.reap() })
	}
	writing.Wait()
	if round%4 == 3 { // the command that finishes what was begun is killed too
		k.killed(upTo(k.random, 60*time.Millisecond), "status")
	}
}

// check compares memory with the acknowledged changes.
func (k *doorKills) check() {
	k.t.Helper()
	k.Agentflow("status") // finishes what was begun
	k.checkFacts()
	k.checkNotes()
	k.checkWhole()
	k.checkSearch()
	k.checkLog()
}

// factText is that of a fact of a writer.
var factText = regexp.MustCompile(`Fact w\d+n\d+ says v\d+`)

// standing counts texts of facts.
type standing struct {
	holds     map[string]int // among the facts that hold
	written   map[string]int // in the Markdown
	forgotten map[string]int // among what can be restored
}

func (k *doorKills) standing() standing {
	k.t.Helper()
	now := standing{map[string]int{}, map[string]int{}, map[string]int{}}
	var list []api.Fact
	k.JSON(&list, "memory", "list", "-n", "0")
	for _, f := range list {
		now.holds[f.Text]++
	}
	var lost []api.Entry
	k.JSON(&lost, "memory", "list", "--forgotten")
	for _, e := range lost {
		now.forgotten[e.Title]++
	}
	for _, text := range k.markdown() {
		for _, fact := range factText.FindAllString(text, -1) {
			now.written[fact]++
		}
	}
	return now
}

// agrees reports whether a fact is stored once, either as acknowledged or as the
// unanswered command would have it.
func (s standing) agrees(f *writtenFact) bool {
	may := []string{f.text}
	if f.doubt {
		may = append(may, f.next)
	}
	there := 0
	for _, text := range slices.Concat(f.was, may) {
		n := s.holds[text]
		if there += n; s.written[text] > 1 || s.forgotten[text] > 1 || n > s.written[text] || n > 0 && !slices.Contains(may, text) {
			return false
		}
	}
	if f.forgotten() {
		last := f.was[len(f.was)-1]
		return there == 0 && s.written[last] == 0 && s.forgotten[last] == 1
	}
	return there == 1 || there == 0 && slices.Contains(may, "")
}

// checkFacts looks for each fact among those that hold and in the Markdown,
// and for forgotten ones in the log that can restore them.
func (k *doorKills) checkFacts() {
	k.t.Helper()
	now := k.standing()
	stored, edited, gone, doubtful := 0, 0, 0, 0
	for _, w := range k.writers {
		for _, f := range w.facts {
			if !now.agrees(f) {
				k.t.Errorf("%+v: of these texts hold %v, stand in the Markdown %v, can be restored %v", *f, among(now.holds, f), among(now.written, f), among(now.forgotten, f))
			}
			switch {
			case f.doubt:
				doubtful++
			case f.forgotten():
				gone++
			case len(f.was) > 0:
				edited++
			default:
				stored++
			}
		}
	}
	if stored == 0 {
		k.t.Error("nothing was acknowledged")
	}
	k.t.Logf("%d facts hold, %d that were edited, %d are forgotten, of %d nobody knows", stored, edited, gone, doubtful)
}

// among returns the counts of a fact's texts.
func among(count map[string]int, f *writtenFact) map[string]int {
	few := map[string]int{}
	for _, text := range append(slices.Clone(f.was), f.text, f.next) {
		if n := count[text]; n > 0 {
			few[text] = n
		}
	}
	return few
}

// markdown returns all of memory, by file.
func (k *doorKills) markdown() map[string]string {
	k.t.Helper()
	files, err := filesBelow(k.Path(".agentflow/memory"))
	if err != nil {
		k.t.Fatal(err)
	}
	return files
}

// checkNotes compares each writer's files with the acknowledged ones, and the
// common file with the lines of all writers.
func (k *doorKills) checkNotes() {
	k.t.Helper()
	files := 0
	got, want := strings.Split(strings.TrimSpace(k.Read(sharedNote)), "\n"), []string{"the end"}
	for _, w := range k.writers {
		w.settleNotes()
		files += len(w.notes)
		want = append(want, w.shared...)
		for _, line := range w.maybe {
			if slices.Contains(got, line) {
				want = append(want, line)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		k.t.Errorf("in the file of all are\n%q, not\n%q", got, want)
	}
	k.t.Logf("%d files and %d lines of notes", files, len(want))
}

// checkWhole looks for torn files and leftovers.
func (k *doorKills) checkWhole() {
	k.t.Helper()
	k.Entries()
	for name := range k.markdown() {
		if !strings.HasSuffix(name, ".md") {
			k.t.Errorf("%s is left over", name)
		}
	}
	var checks []api.Check
	k.JSON(&checks, "doctor")
	for _, c := range checks {
		if c.Grade != api.GradeOK {
			k.t.Errorf("doctor: %+v", c)
		}
	}
}

// checkSearch searches for the latest text of each fact: a stored text
// is found once, and a forgotten one is not found.
func (k *doorKills) checkSearch() {
	k.t.Helper()
	type search struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	var searches []search
	var want []int
	ask := func(text string, found int) {
		if len(searches) < 100 {
			searches, want = append(searches, search{text, 10}), append(want, found)
		}
	}
	for _, w := range k.writers {
		for _, f := range slices.Backward(w.facts) {
			if f.text != "" && !f.doubt {
				ask(f.text, 1)
			}
			for _, text := range f.was {
				ask(text, 0)
			}
		}
		for _, text := range w.notes {
			if first, _, _ := strings.Cut(text, "\n"); first != "the end" {
				ask(first, 1)
			}
		}
	}
	s := k.serving()
	defer s.kill()
	var answer struct {
		Searches []struct {
			Answer struct{ Hits []retrieval.Hit }
		}
	}
	status, text, err := s.ask("POST", "/api/v1/batch", map[string]any{"searches": searches})
	if err != nil || status != http.StatusOK || json.Unmarshal(text, &answer) != nil || len(answer.Searches) != len(searches) {
		k.t.Fatalf("%d %s %v", status, text, err)
	}
	for i, ask := range searches {
		hits := answer.Searches[i].Answer.Hits
		found := 0
		for _, h := range hits {
			found += strings.Count(h.Text+" ", ask.Query+" ") + strings.Count(h.Text, ask.Query+"\n")
		}
		if found != want[i] {
			k.t.Errorf("%q is found %d times, not %d: %+v", ask.Query, found, want[i], hits)
		}
	}
}

// checkLog removes the Markdown and checks that the log has every fact that holds.
func (k *doorKills) checkLog() {
	k.t.Helper()
	before := k.standing().holds
	for _, day := range k.Days() {
		k.Remove(day)
	}
	k.Agentflow("status")
	k.Agentflow("memory", "restore")
	if after := k.standing().holds; !maps.Equal(before, after) {
		k.t.Errorf("of %d facts, the log has %d", len(before), len(after))
	}
}
