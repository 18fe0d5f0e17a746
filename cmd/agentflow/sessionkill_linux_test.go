package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// TestKilledSessions plays sessions and ends their hooks, their background work
// and their CLI with SIGKILL at random moments. Each change of a turn is
// in one entry, and each prompt is recorded once. AGENTFLOW_KILLS sets the number of
// sessions: a tenth of it. AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledSessions(t *testing.T) {
	sessions := max(number(t, "AGENTFLOW_KILLS", 30)/10, 2)
	random := rand.New(rand.NewPCG(seed(t), 7))
	for left := sessions; left > 0; left -= sessionsOfOne {
		k := &sessionKills{lab: newLab(t, ""), random: random}
		for range min(sessionsOfOne, left) {
			k.session()
		}
		k.recoverAll()
		k.check()
	}
}

// sessionsOfOne is how many sessions a repository sees.
const sessionsOfOne = 10

type sessionKills struct {
	*lab
	random *rand.Rand
	turns  int
	told   []int // turns that must be recorded
	kills  int
	heard  bool // a hook of the session was not killed
}

// session plays one session: turns that write, some of which commit, and sometimes an
// end.
func (k *sessionKills) session() {
	k.heard = false
	p := New(&k.Lab, k.hook)
	p.Start("startup")
	for range 2 + k.random.IntN(5) {
		k.turns++
		name := fmt.Sprintf("file%d", k.turns)
		acts := []Act{Write(name, "x\n")}
		if p.Traces() && k.random.IntN(3) == 0 { // otherwise the commit's session is unknown
			acts = append(acts, Commit("commit "+name, name))
		}
		p.Ask(promptOf(k.turns), append(acts, Say("Wrote "+name+"."))...)
		p.Flush()
		if k.heard && k.random.IntN(8) == 0 {
			k.expect(true)
			return // the CLI is killed
		}
		p.Stop()
		k.expect(k.heard)
		k.killWork()
		if k.random.IntN(10) == 0 {
			p.Compact()
		}
	}
	if k.random.IntN(2) == 0 {
		p.End("other")
		k.killWork()
	}
}

// promptOf returns the prompt of a turn, which is different for each turn.
func promptOf(turn int) string { return fmt.Sprintf("Write number %d into its file", turn) }

// expect stores whether the played turn must be recorded. A turn before the session's first
// hook need not be.
func (k *sessionKills) expect(told bool) {
	if told {
		k.told = append(k.told, k.turns)
	}
}

// hook runs a hook, and kills it one time in three.
func (k *sessionKills) hook(env []string, stdin []byte) []byte {
	cmd := k.With(env...).Command("session", "hook", "--agent", "claude")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, io.Discard
	if err := cmd.Start(); err != nil {
		k.T.Fatal(err)
	}
	if k.random.IntN(3) > 0 {
		if err := cmd.Wait(); err != nil {
			k.T.Errorf("the hook: %v", err)
		}
		k.heard = true
		return out.Bytes()
	}
	k.kills++
	kill := time.AfterFunc(time.Duration(k.random.IntN(15))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait()
	if !bytes.HasSuffix(out.Bytes(), []byte("}\n")) {
		return nil
	}
	return out.Bytes()
}

// killWork waits for the work in the background, or kills it one time in three.
func (k *sessionKills) killWork() {
	h := hooks{Lab: &k.Lab}
	if k.random.IntN(3) > 0 {
		h.settle(k.T)
		return
	}
	k.kills++
	deadline := time.Now().Add(time.Duration(k.random.IntN(80)) * time.Millisecond)
	for len(h.Workers()) > 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	for _, pid := range h.Workers() {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
	h.settle(k.T)
}

// recoverAll lets half an hour pass, and reads the log.
func (k *sessionKills) recoverAll() {
	k.T.Helper()
	hooks{Lab: &k.Lab}.settle(k.T)
	past := time.Now().Add(-31 * time.Minute)
	state, _ := filepath.Glob(k.Path(".git/agentflow/sessions/*/*"))
	transcripts, _ := filepath.Glob(filepath.Join(k.Home, ".claude/projects/*/*"))
	for _, name := range slices.Concat(state, transcripts) {
		if err := os.Chtimes(name, past, past); err != nil {
			k.T.Fatal(err)
		}
	}
	k.Agentflow("log")
	k.Agentflow("log")
}

func (k *sessionKills) check() {
	k.T.Helper()
	files, prompts := map[string]int{}, map[string]int{}
	var all strings.Builder
	paths, _ := filepath.Glob(k.Path(".agentflow/memory/2*.md"))
	for _, path := range paths {
		for _, e := range markdown.Parse([]byte(k.Read(path))).Entries() {
			if e.Kind != memory.KindSession {
				continue
			}
			fmt.Fprintf(&all, "%s %s %s %v | U %v | C %v | M %v\n", e.Session[:8], e.Time.Format(time.TimeOnly), e.Task, e.Then, e.Uncommitted.Items, e.Changes.Items, e.Meanwhile.Items)
			for _, list := range []changeset.List{e.Changes, e.Uncommitted} {
				for _, c := range list.Items {
					files[c.Path]++
				}
			}
			for _, prompt := range append([]string{e.Task}, e.Then...) {
				prompts[prompt]++
			}
		}
	}
	for n := 1; n <= k.turns; n++ {
		least := 0
		if slices.Contains(k.told, n) {
			least = 1
		}
		if name := fmt.Sprintf("file%d", n); files[name] > 1 || files[name] < least {
			k.T.Errorf("%s is told in %d entries", name, files[name])
		}
		if prompt := promptOf(n); prompts[prompt] > 1 || prompts[prompt] < least {
			k.T.Errorf("%q is told %d times", prompt, prompts[prompt])
		}
	}
	if left, _ := filepath.Glob(k.Path(".git/agentflow/runs/*/before*")); len(left) > 0 {
		k.T.Errorf("copies were left: %q", left)
	}
	if k.T.Failed() {
		k.T.Logf("%s", all.String())
	}
	k.T.Logf("%d turns, %d kills", k.turns, k.kills)
	k.turns, k.told = 0, nil
}
