//go:build unix

// Command benchgit measures snapshots and whole runs in comparison with git
// status, on trees that it makes. 'make bench-git' runs it.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	binary := flag.String("agentflow", "bin/agentflow", "the program to measure")
	rounds := flag.Int("rounds", 15, "how often each is measured, in turn")
	trees := flag.String("trees", strings.Join(append(shapes, cachesHere()...), ","), "files of each tree, of each of its folders, and what history it has")
	dir := flag.String("dir", os.Getenv("AGENTFLOW_BENCH_DIR"), "a folder with trees to use again; empty for a temporary one")
	flag.Parse()
	if err := bench(*binary, *rounds, strings.Split(*trees, ","), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "benchgit:", err)
		os.Exit(1)
	}
}

// shapes lists trees without a history, and trees with one, which are measured
// only when clean.
var shapes = []string{
	"80000/150", "80000/12", "300000/150",
	"80000/150/packed=100000", "80000/150/packed=1000000", "80000/150/packed=4000000", "20/20/packed=4000000",
	"20000/150/packs=60", "20000/150/midx=60", "20000/150/loose=5000", "20000/150/alternates", "20000/150/partial", "20000/150/commit-graph=5000",
}

func bench(binary string, rounds int, shapes []string, dir string) (err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "benchgit-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := isolate(dir); err != nil {
		return err
	}
	fmt.Printf("%-32s %9s %6s %6s %6s %6s %6s\n", "files/in a folder", "status ms", "first", "second", "moved", "run", "MB")
	for _, shape := range shapes {
		t, err := parseShape(shape)
		if err != nil {
			return fmt.Errorf("-trees %s: %w", shape, err)
		}
		t.dir = filepath.Join(dir, strings.NewReplacer("/", "-", "=", "-").Replace(shape))
		if err := t.prepare(); err != nil {
			return err
		}
		states := []string{"clean", "changed"}
		if t.history.name != "" {
			states = states[:1]
		}
		for _, state := range states {
			if err := t.become(state); err != nil {
				return err
			}
			f, err := measure(t, binary, rounds)
			if err != nil {
				return err
			}
			fmt.Printf("%-32s %9.0f %6.2f %6.2f %6.2f %6.2f %6.0f\n", shape+" "+state, f[0], f[1], f[2], f[3], f[4], f[5])
		}
		if err := t.leave(); err != nil {
			return err
		}
	}
	fmt.Println(legend)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Printf("load       %s", load)
	}
	return nil
}

// parseShape parses "80000/150/packed=1000".
func parseShape(shape string) (t tree, err error) {
	sizes, past := shape, ""
	if parts := strings.SplitN(shape, "/", 3); len(parts) == 3 {
		sizes, past = parts[0]+"/"+parts[1], parts[2]
	}
	if _, err := fmt.Sscanf(sizes, "%d/%d", &t.files, &t.perFolder); err != nil {
		return t, err
	}
	t.history, err = parseHistory(past)
	return t, err
}

// ctx ends when the measurement is interrupted: the current operation then
// fails, and the trees are removed as usual.
var ctx, _ = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)

const legend = `
status ms  'git --no-optional-locks status --porcelain', a process; the next three are divided by it
first      the first snapshot of a run, in this process
second     the second one and the change set, where nothing has changed between
moved      the same where the index has been rewritten between, as a commit does
run        'agentflow run --agent command -- true', a process, divided by two of git status
MB         the most memory that this process had resident
cold       the page cache is empty before the first git status, and before the run
packed=N   a pack of N more objects; packs=N, midx=N: so many packs of 1,000; loose=N; commit-graph=N commits
changed    1,000 files edited and 5,000 untracked; otherwise none
Each is the median of the ratios of measurements made in turn.`

// isolate sets up a separate home for git and agentflow.
func isolate(dir string) error {
	home := filepath.Join(dir, "home")
	config := "[user]\n\tname = A\n\temail = a@example.org\n[gc]\n\tauto = 0\n"
	return cmp.Or(os.MkdirAll(home, 0o755), os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644),
		os.Setenv("HOME", home), os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config")),
		os.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state")), os.Setenv("GIT_CONFIG_NOSYSTEM", "1"))
}
