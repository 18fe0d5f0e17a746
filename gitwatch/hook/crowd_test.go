package hook

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"agentflow/internal/config"
)

// TestACrowd lets 16 hooks at a time note, kills some of them, and takes all
// the while: what a hook that ended well has noted is taken exactly once.
func TestACrowd(t *testing.T) {
	t.Parallel()
	const writers, rounds = 16, 6
	dir := newState(t)
	common := filepath.Dir(dir)
	script := filepath.Join(common, "hook")
	if err := os.WriteFile(script, render(postCommit, nothing), 0o700); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	ended := map[int]bool{} // number of the commit: the hook ended well
	var crowd sync.WaitGroup
	for w := range writers {
		own := filepath.Join(common, "worktrees", fmt.Sprint("w", w))
		if err := os.MkdirAll(own, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(own, "commondir"), "../..\n")
		crowd.Go(func() {
			for r := range rounds {
				n := w*rounds + r
				if err := os.WriteFile(filepath.Join(own, "HEAD"), fmt.Appendf(nil, "%040x\n", n), 0o600); err != nil {
					t.Error(err)
					return
				}
				well := runHook(t, script, own, n%3 == 0, time.Duration(n)*31*time.Microsecond)
				mu.Lock()
				ended[n] = well
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { crowd.Wait(); close(done) }()
	taken := map[int]int{}
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		numbers, damaged := takeAll(t, dir)
		if damaged > 0 {
			t.Errorf("%d damaged", damaged)
		}
		for _, n := range numbers {
			taken[n]++
		}
	}
	for n, well := range ended {
		if taken[n] > 1 || well && taken[n] != 1 {
			t.Errorf("hook %d ended well: %v; taken %d times", n, well, taken[n])
		}
	}
}

// runHook runs a hook, perhaps kills it after a while, and says whether it
// ended well.
func runHook(t *testing.T, script, gitDir string, kill bool, after time.Duration) bool {
	cmd := exec.Command("sh", script)
	cmd.Env = append(os.Environ(), "GIT_DIR="+gitDir)
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return false
	}
	if kill {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	return cmd.Wait() == nil
}

// TestTakersAtOnce: each event is handed to one of them.
func TestTakersAtOnce(t *testing.T) {
	t.Parallel()
	dir := newState(t)
	var mu sync.Mutex
	var all []int
	var crowd sync.WaitGroup
	for w := range 4 {
		crowd.Go(func() {
			for r := range 8 {
				mu.Lock()
				note(t, queueOf(dir), w*8+r)
				mu.Unlock()
				numbers, _ := takeAll(t, dir)
				mu.Lock()
				all = append(all, numbers...)
				mu.Unlock()
			}
		})
	}
	crowd.Wait()
	slices.Sort(all)
	if len(all) != 32 || len(slices.Compact(all)) != 32 {
		t.Errorf("took %v", all)
	}
}

// TestATakerThatIsKilled: Take runs in a separate process here, which is killed at some moment.
// Nothing is lost, and nothing is handed out forever.
func TestATakerThatIsKilled(t *testing.T) {
	t.Parallel()
	dir := newState(t)
	used := filepath.Join(filepath.Dir(dir), "used")
	const rounds = 12
	for n := range rounds {
		note(t, queueOf(dir), n)
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), takeAndTell+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(n)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
	}
	numbers, _ := takeAll(t, dir)
	text, _ := os.ReadFile(used)
	seen := map[int]int{}
	events, _ := parse(text)
	for _, n := range append(numbersOf(t, events), numbers...) {
		seen[n]++
	}
	for n := range rounds {
		// Killed between use and forgetting, an event comes again.
		if seen[n] == 0 || seen[n] > rounds-n+1 {
			t.Errorf("event %d was seen %d times", n, seen[n])
		}
	}
}

// TestAnInstallationThatIsKilled: after an install that was killed at any point, uninstall restores
// the earlier state.
func TestAnInstallationThatIsKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := l.path(".git/hooks/post-commit")
	l.write(path, "#!/bin/sh\n", 0o755)
	for n := range 10 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), installIn+"="+l.repo)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(n)*3*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if n%2 == 0 {
			l.install(l.repo, Installed, Installed)
		}
		l.uninstall(l.repo)
		if text := l.read(path); text != "#!/bin/sh\n" {
			t.Fatalf("round %d: the hook is\n%s", n, text)
		}
		for _, gone := range []string{path + ".before-agentflow", l.path(".git/hooks/post-rewrite")} {
			if _, err := os.Lstat(gone); err == nil {
				t.Fatalf("round %d: %s stayed", n, gone)
			}
		}
	}
}

// installIn names, in the environment of a test process, the repository to
// install hooks in.
const installIn = "HOOK_TEST_INSTALL"

func installForTest(dir string) int {
	place, err := config.Find(dir, "")
	if err == nil {
		_, err = Install(context.Background(), place)
	}
	if err != nil {
		return 1
	}
	return 0
}

// takeAndTell names, in the environment of a test process, the folder to take
// from; what was used is appended to a file.
const takeAndTell = "HOOK_TEST_TAKE"

func takeForTest(dir string) int {
	err := Take(context.Background(), dir, func(events []Event, _ int) error {
		f, err := os.OpenFile(filepath.Join(filepath.Dir(dir), "used"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, e := range events {
			if _, err := fmt.Fprintf(f, "commit - %s - \n", e.New); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 1
	}
	return 0
}
