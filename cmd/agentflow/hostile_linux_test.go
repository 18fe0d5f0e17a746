package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
)

// Bounds of one command in a hostile repository: CPU time on a quiet machine, and memory. One that
// waits for something is ended, and has failed.
const (
	hostileCPU    = 2 * time.Second
	hostileMemory = 256 << 20
	hostileHang   = 20 * time.Second
)

// Texts that must not leak: the first is in a user's file outside the repository,
// the second is in memory that the repository ships.
const (
	canary  = "SECRETCANARY"
	planted = "PLANTEDFACT"
)

// hostileShare is how many commands besides "run" are tried in each
// shape. AGENTFLOW_HOSTILE=all tries all of them, AGENTFLOW_SEED decides which
// come first.
const hostileShare = 2

// hostileHeavy are the shapes that need more than a quarter of hostileCPU. Each has the machine for
// itself: in parallel with others a command takes up to twice the CPU time.
var hostileHeavy = map[string]bool{"memory that nests": true, "memory is very deep": true}

// TestHostileRepositories runs the program in repositories that were made
// to harm their readers. Each command reads no file outside the
// repository, ends soon, uses little memory, starts no program that git status
// would not start, and trusts no memory that the repository ships.
func TestHostileRepositories(t *testing.T) {
	bin := labtest.Programs(t)
	share, first := hostileShare, number(t, "AGENTFLOW_SEED", int(time.Now().Unix()%1000))
	if os.Getenv("AGENTFLOW_HOSTILE") == "all" {
		share = len(hostileCommands)
	}
	shapes := hostileShapes()
	if len(shapes) < 60 {
		t.Errorf("%d shapes", len(shapes))
	}
	tried := make(chan int, len(shapes))
	t.Cleanup(func() {
		close(tried)
		sum := 0
		for n := range tried {
			sum += n
		}
		t.Logf("%d shapes, %d commands; AGENTFLOW_SEED=%d repeats the choice", len(shapes), sum, first)
	})
	for i, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			if !hostileHeavy[shape.name] {
				t.Parallel()
			}
			h := newHostile(t, bin)
			shape.build(h)
			h.gitStatus()
			commands := []hostileCommand{hostileRun}
			for n := range min(share, len(hostileCommands)) {
				commands = append(commands, hostileCommands[(first+share*i+n)%len(hostileCommands)])
			}
			for _, c := range commands {
				h.try(c)
			}
			h.nothingLeaked()
			tried <- len(commands)
		})
	}
}

// hostileCommand is one command line. Its prompt, if it makes one,
// is its output, or the agent's input.
type hostileCommand struct {
	args    []string
	prompts bool
	stdin   string
}

// hostileRun is a run with an agent that keeps its prompt, changes a file, and prints
// its folder.
var hostileRun = hostileCommand{prompts: true, args: []string{"run", "--agent", "command", "zebra " + "deploys", "--",
	"sh", "-c", `cat >"$OUT/prompt"; echo agent >>f; cat "$OUT/prompt"`}}

var hostileCommands = func() []hostileCommand {
	var list []hostileCommand
	for _, line := range []string{
		"status", "doctor", "search zebra", "search --json zebra deploys", "log", "log --all --json", "show last", "diff last", "undo last --dry-run",
		"undo last --yes", "remember zebras are striped", "memory list --all", "memory export", "memory stats", "memory restore", "consolidate --dry-run",
		"consolidate --yes", "index", "index --rebuild", "backfill --dry-run", "backfill --last 20", "hook status", "hook install", "hook uninstall",
		"config", "config check", "config path", "trust", "init", "schedule list", "schedule next", "daemon --once", "forget --query zebra --dry-run",
		"pin last", "worktree list", "worktree merge last --commit", "worktree rm --merged", "eval cochange", "__complete show ", "uninstall", "version", "memory import f", "files zebra deploys",
	} {
		list = append(list, hostileCommand{args: strings.Split(line, " ")})
	}
	for _, args := range [][]string{{"recall", "zebra deploys"}, {"recall", "--json", "zebra deploys"}, {"run", "--dry-run", "zebra deploys"}} {
		list = append(list, hostileCommand{args: args, prompts: true})
	}
	worktree := hostileRun
	worktree.args = slices.Insert(slices.Clone(worktree.args), 1, "--worktree")
	return append(list, worktree)
}()

// hostile is one repository, with the files around it.
type hostile struct {
	*testing.T
	bin  string
	root string // of all of it
	repo string // where commands are run; a shape may name a folder below it
	env  []string

	outside  string          // files outside when the shape is built, by path
	started  map[string]bool // programs that git status started
	gitWaits bool            // git itself waits forever for the special file at the place of a file
}

func newHostile(t *testing.T, bin string) *hostile {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{T: t, bin: bin, root: root, repo: filepath.Join(root, "repo"), started: map[string]bool{}}
	home := filepath.Join(root, "home")
	h.put("home/.gitconfig", "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = always\n")
	h.put("outside/secret.md", "# zebra\n\n- zebra deploys "+canary+"\n")
	h.put("outside/memory/diary.md", "# zebra\n\n- zebra deploys "+canary+"\n")
	h.put("outside/config.toml", "# "+canary+"\n[recall]\ntop = 1\n")
	h.put("out/.keep", "")
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "XDG_") && !strings.HasPrefix(pair, "GIT_") && !strings.HasPrefix(pair, "AGENTFLOW_") {
			h.env = append(h.env, pair)
		}
	}
	h.env = append(h.env, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "OUT="+filepath.Join(root, "out"),
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	h.git("init", "-q", h.repo)
	h.put("repo/f", "f\n")
	h.put("repo/sub/g", "g\n")
	return h
}

// put writes a file, by its path below the root.
func (h *hostile) put(name, text string) {
	h.Helper()
	path := filepath.Join(h.root, name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	h.must(os.WriteFile(path, []byte(text), 0o644))
}

func (h *hostile) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *hostile) git(args ...string) {
	h.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.root, h.env
	if _, err := os.Stat(h.repo); err == nil {
		cmd.Dir = h.repo
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		h.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// clone commits the contents of the repository, and makes it a clone, without the files
// that git does not store.
func (h *hostile) clone() {
	h.Helper()
	h.git("add", "-Af")
	h.git("commit", "-qm", "one")
	h.must(os.Rename(h.repo, h.repo+".origin"))
	h.git("clone", "-q", h.repo+".origin", h.repo)
}

// marker returns a program that records that it was started, by its name.
func (h *hostile) marker(name string) string {
	path := filepath.Join(h.root, "bin", name)
	h.put("bin/"+name, "#!/bin/sh\n: >\""+filepath.Join(h.root, "marks", name)+"\"\ncat 2>/dev/null\n")
	h.must(os.Chmod(path, 0o755))
	h.must(os.MkdirAll(filepath.Join(h.root, "marks"), 0o755))
	return path
}

func (h *hostile) marks() []string {
	items, _ := os.ReadDir(filepath.Join(h.root, "marks"))
	var names []string
	for _, item := range items {
		names = append(names, item.Name())
	}
	return names
}

// gitStatus stores which programs git status starts, and the files outside.
func (h *hostile) gitStatus() {
	for _, args := range [][]string{{"status", "--porcelain"}, {"--no-pager", "log", "--numstat"}} {
		ctx, cancel := context.WithTimeout(h.Context(), hostileCPU) // in some it waits for ever
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = h.repo, h.env
		_ = cmd.Run()
		h.gitWaits = h.gitWaits || ctx.Err() != nil
		cancel()
		if args[0] == "status" {
			h.noteStarted()
		}
	}
	h.must(os.RemoveAll(filepath.Join(h.root, "marks")))
	h.must(os.MkdirAll(filepath.Join(h.root, "marks"), 0o755))
	h.outside = h.around()
}

func (h *hostile) noteStarted() {
	for _, name := range h.marks() {
		h.started[name] = true
	}
}

// around returns the files next to the repository, with their contents.
func (h *hostile) around() string {
	var b strings.Builder
	h.must(filepath.WalkDir(filepath.Join(h.root, "outside"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, e := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %q\n", path, text)
			err = e
		}
		return err
	}))
	return b.String()
}

// try runs one command and judges it.
func (h *hostile) try(c hostileCommand) {
	h.Helper()
	what := strings.Join(c.args, " ")
	ctx, cancel := context.WithTimeout(h.Context(), hostileHang)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(h.bin, "agentflow"), c.args...)
	cmd.Dir, cmd.Env = h.repo, h.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &out, &out, strings.NewReader(c.stdin)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.Fatalf("%s: %v", what, err)
	}
	if ctx.Err() != nil && h.gitWaits {
		h.Logf("%s: waits, as git does", what)
		return
	}
	if ctx.Err() != nil {
		h.Errorf("%s: hangs\n%.2000s", what, out.String())
		return
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if rss := used.Maxrss << 10; rss > hostileMemory {
		h.Errorf("%s: needs %d MB", what, rss>>20)
	}
	if cpu := cpuTime(cmd); cpu > hostileCPU {
		if limit := time.Duration(float64(hostileCPU) * slowness(h)); cpu > limit {
			h.Errorf("%s: takes %v, more than %v", what, cpu, limit)
		}
	}
	text := out.String()
	for _, sign := range []string{canary, "panic:", "goroutine "} {
		if strings.Contains(text, sign) {
			h.Errorf("%s: says %s\n%.3000s", what, sign, text)
		}
	}
	if c.prompts && strings.Contains(text, planted) {
		h.Errorf("%s: believes what the repository ships\n%.3000s", what, text)
	}
	for _, name := range h.marks() {
		checkedOut := name == "filter-evil-smudge" && slices.Contains(c.args, "--worktree") // as git worktree add has it
		known := h.started[name] || checkedOut
		if h.started[name] = true; !known {
			h.Errorf("%s: starts the program that the repository names as %s", what, name)
		}
	}
}

func cpuTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// slowness returns how much more CPU time work takes now than on a quiet core, at least 1. A core
// that other work shares, or that its host takes away at times, needs up to three times as much.
func slowness(t testing.TB) float64 {
	const starts, quiet = 50, 600 * time.Millisecond
	var sum time.Duration
	for range starts {
		cmd := exec.Command("git", "help", "-a")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		sum += cpuTime(cmd)
	}
	return max(1, float64(sum)/float64(quiet))
}

// nothingLeaked checks all that the commands left.
func (h *hostile) nothingLeaked() {
	if now := h.around(); now != h.outside {
		h.Errorf("outside was changed:\n%s\nwas\n%s", now, h.outside)
	}
	for _, dir := range []string{"home", "out", "repo/.agentflow", "repo/.git/agentflow"} {
		dir = filepath.Join(h.root, dir)
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			info, e := os.Lstat(path)
			if err != nil || e != nil || !info.Mode().IsRegular() || info.Size() > 64<<20 {
				return nil
			}
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(canary)) {
				h.Errorf("%s holds what lies outside", path)
			}
			return nil
		})
	}
}

// asRoot skips a shape that only root can make.
func (h *hostile) asRoot() {
	if os.Geteuid() != 0 {
		h.Skip("only root can make it")
	}
}

// repeat joins numbered lines.
func repeat(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

func numbered(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", strconv.Itoa(i)) }
}
