package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/testing/faulttest"
	"agentflow/memory/markdown"
)

func init() { faulttest.Start() }

// fault makes a command's system calls fail that change files:
// the call numbered at fails, and every later one if lasting; at is 0 for a
// place that is read-only from the start.
type fault struct {
	errno   syscall.Errno
	lasting bool
	at      int
	under   []string // only there; below the folder of the round
}

func (f fault) String() string {
	return fmt.Sprintf("%s (lasting %v) at %d under %q", errnoNames[f.errno], f.lasting, f.at, f.under)
}

var errnoNames = map[syscall.Errno]string{syscall.ENOSPC: "ENOSPC", syscall.EIO: "EIO", syscall.EROFS: "EROFS", syscall.EACCES: "EACCES"}

// kindsOfFault are tried at every call that can meet them.
var kindsOfFault = []fault{
	{errno: syscall.ENOSPC}, {errno: syscall.ENOSPC, lasting: true}, {errno: syscall.EIO}, {errno: syscall.EIO, lasting: true},
	{errno: syscall.EROFS, lasting: true}, {errno: syscall.EACCES},
}

// meets reports whether the system answers a call with this error. A full disk
// refuses no removal and opens existing files, and an open file in a folder that
// became read-only can still be written.
func (f fault) meets(c faulttest.Call) bool {
	onFile := slices.Contains([]string{"write", "writev", "pwrite", "fsync", "fdatasync", "ftruncate", "fchmod"}, c.Name)
	switch f.errno {
	case syscall.ENOSPC:
		if strings.HasPrefix(c.Name, "open") {
			_, err := os.Lstat(c.Path)
			return err != nil
		}
		return !slices.Contains([]string{"unlink", "unlinkat", "rmdir", "fchmod", "chmod", "fchmodat", "utimensat"}, c.Name)
	case syscall.EROFS, syscall.EACCES:
		return !onFile
	}
	return true
}

// trial is one command with one fault: its output and its place.
type trial struct {
	*lab
	place  string // folder of the round: repo, state, data
	ok     bool   // exit code 0
	stdout string
	stderr string
	calls  []string // that were counted
}

// faulty is a command that runs with faults, and the check after a
// fresh process has run: complaint is empty if the check passes.
type faulty struct {
	template  *lab
	args      []string
	complaint func(*trial) string
}

// TestFaultsAtEveryCall makes each system call fail by which a command, or a git that it
// starts, changes a file. A fresh process then checks the result: reported
// changes are done, and no change is half done. A seed
// draws a few faults of each command. AGENTFLOW_FAULTS is their number, or all.
func TestFaultsAtEveryCall(t *testing.T) {
	seed := seed(t)
	l := newLab(t, faultScript)
	for name, command := range l.faultyCommands() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.of(t).faultEach(command, rand.New(rand.NewPCG(seed, 3)))
		})
	}
}

const faultScript = `write made "by the run\n"
edit README start "start, and more"
say "<save_memory>The run learnt about marzipan.</save_memory> done"
`

// drawn is how many faults of each command are tried without AGENTFLOW_FAULTS.
const drawn = 12

// faultEach tries a command without a fault, counts its calls, and then lets
// them fail.
func (l *lab) faultEach(command faulty, random *rand.Rand) {
	l.T.Helper()
	var faults []fault
	for _, kind := range kindsOfFault {
		kind.at = 1 << 30
		tr, complaint := l.tryFault(command, kind, false)
		if !tr.ok || complaint != "" {
			l.T.Fatalf("without a fault: %s\n%s%s", complaint, tr.stdout, tr.stderr)
		}
		for at := range tr.calls {
			kind.at = at + 1
			faults = append(faults, kind)
		}
	}
	for _, under := range readOnlyPlaces {
		faults = append(faults, fault{errno: syscall.EROFS, lasting: true, under: under})
	}
	all := len(faults)
	if os.Getenv("AGENTFLOW_FAULTS") != "all" {
		random.Shuffle(len(faults), func(i, k int) { faults[i], faults[k] = faults[k], faults[i] })
		faults = faults[:min(number(l.T, "AGENTFLOW_FAULTS", drawn), len(faults))]
	}
	outcomes := map[string]int{}
	for i, f := range faults {
		tr, complaint := l.tryFault(command, f, i%2 == 0)
		outcomes[map[bool]string{true: "exit 0", false: "an error"}[tr.ok]]++
		if complaint != "" {
			at := "none"
			if 0 < f.at && f.at <= len(tr.calls) {
				at = tr.calls[f.at-1]
			}
			l.T.Errorf("%s, copied %v: %s\nthe call: %s\nexit 0: %v\n%s%s", f, i%2 != 0, complaint, at, tr.ok, tr.stdout, tr.stderr)
		}
	}
	l.T.Logf("%d of %d faults tried: %v", len(faults), all, outcomes)
}

// readOnlyPlaces are mounted read-only, or belong to another user.
var readOnlyPlaces = [][]string{
	{"repo/.git"}, {"repo/.agentflow"}, {"state"}, {"repo/.git", "state"}, {"repo/.agentflow", "state"}, {"repo/.git", "repo/.agentflow"},
	{"repo"}, {"repo", "state"}, {"repo/.agentflow/memory"}, {"repo/.agentflow/state"}, {""},
}

// tryFault runs a command with a fault in a fresh copy of its template, and returns
// a complaint if the result is wrong. seen says that another command ran there before, so that
// the folder of memory is known.
func (l *lab) tryFault(command faulty, f fault, seen bool) (tr *trial, complaint string) {
	l.T.Helper()
	place, err := os.MkdirTemp("", "agentflow-fault-")
	if err == nil {
		place, err = filepath.EvalSymlinks(place)
	}
	if err != nil {
		l.T.Fatal(err)
	}
	defer os.RemoveAll(place)
	tr = &trial{lab: command.template.of(l.T).copied(filepath.Join(place, "repo")), place: place}
	tr.Env = append(slices.Clone(l.Env), "XDG_STATE_HOME="+filepath.Join(place, "state"), "XDG_DATA_HOME="+filepath.Join(place, "data"))
	if err := os.Mkdir(filepath.Join(place, "state"), 0o700); err != nil {
		l.T.Fatal(err)
	}
	if seen {
		tr.Agentflow("status")
	}
	cmd := tr.Command(command.args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = faulttest.Run(cmd, func(c faulttest.Call) syscall.Errno { return tr.answer(f, c) })
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.T.Fatal(err)
	}
	tr.ok, tr.stdout, tr.stderr = err == nil, stdout.String(), stderr.String()
	return tr, command.complaint(tr)
}

// answer decides about one call.
func (tr *trial) answer(f fault, c faulttest.Call) syscall.Errno {
	if base := filepath.Base(c.Program); base != "agentflow" && base != "git" || !f.meets(c) {
		return 0
	}
	within := func(dir string) bool { return c.Path == dir || strings.HasPrefix(c.Path, dir+"/") }
	if f.at == 0 {
		if slices.ContainsFunc(f.under, func(dir string) bool { return within(filepath.Join(tr.place, dir)) }) {
			return f.errno
		}
		return 0
	}
	if !within(tr.place) {
		return 0
	}
	tr.calls = append(tr.calls, c.String())
	if n := len(tr.calls); n == f.at || n > f.at && f.lasting {
		return f.errno
	}
	return 0
}

// faultyCommands returns the commands that change memory or the tree, with a memory
// that has work for each.
func (l *lab) faultyCommands() map[string]faulty {
	l.fillMemory()
	l.Agentflow("remember", "What was there before is saffron.")
	l.Agentflow("status")
	before := l.memoryFiles()
	ran := l.copied(filepath.Join(l.Home, "ran"))
	tree := ran.Git("rev-parse", "HEAD^{tree}")
	ran.Agentflow("run", "-q", "the task of cinnamon")
	consolidated := l.copied(filepath.Join(l.Home, "consolidated"))
	consolidated.Agentflow("consolidate")
	tidy := consolidated.memoryFiles()
	forgotten := l.copied(filepath.Join(l.Home, "forgotten"))
	forgotten.Agentflow("forget", factID(3), "--yes")
	without := forgotten.memoryFiles()
	forgotten.Agentflow("forget", factID(5), "--yes")
	withoutBoth := forgotten.memoryFiles()
	waits := l.copied(filepath.Join(l.Home, "waits"))
	waits.Write(".git/agentflow/proposals.json", strings.ReplaceAll(waitingProposals, "NOW", time.Now().UTC().Format(time.RFC3339)))
	return map[string]faulty{
		"remember": {l, []string{"remember", "The new fact is about nutmeg."}, func(tr *trial) string {
			return tr.added(before, "The new fact is about nutmeg.")
		}},
		"run": {l, []string{"run", "-q", "the task of cinnamon"}, func(tr *trial) string {
			return tr.added(before, "the task of cinnamon", "The run learnt about marzipan.")
		}},
		"consolidate": {l, []string{"consolidate"}, func(tr *trial) string { return tr.whole(before, tidy) }},
		"forget":      {l, []string{"forget", factID(3), "--yes"}, func(tr *trial) string { return tr.whole(before, without) }},
		"purge":       {l, []string{"forget", factID(3), factID(5), "--purge", "--yes"}, func(tr *trial) string { return tr.purged(before, withoutBoth) }},
		"accept":      {waits, []string{"review", "accept", "c0ffee01"}, func(tr *trial) string { return tr.accepted(before) }},
		"undo":        {ran, []string{"undo", "last", "--possible", "--yes"}, func(tr *trial) string { return tr.undone(tree) }},
	}
}

// fresh runs a command without faults and returns its output.
func (tr *trial) fresh(args ...string) (string, string) {
	cmd := tr.Command(args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Sprintf("a fresh '%s' fails: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), ""
}

// added checks a command that adds texts to memory. If it reported success, all
// texts are there once, and found. Otherwise all, none, or only the first are
// there: a run is also known without its agent's facts. Earlier text
// stays.
func (tr *trial) added(before map[string]string, texts ...string) string {
	last := texts[len(texts)-1]
	found, complaint := tr.fresh("search", last)
	if complaint != "" {
		return complaint
	}
	after := tr.memoryFiles()
	all := strings.Join(slices.Collect(maps.Values(after)), "\n")
	for name, text := range before {
		if !strings.HasPrefix(after[name], text) {
			return name + " lost something:\n" + after[name]
		}
	}
	stands := strings.Count(all, texts[0])
	for _, text := range texts {
		switch n := strings.Count(all, text); {
		case n > 1:
			return fmt.Sprintf("%q stands %d times:\n%s", text, n, all)
		case n != stands && (tr.ok || stands == 0):
			return fmt.Sprintf("half of it stands: no %q", text)
		case n == 0 && tr.ok:
			return fmt.Sprintf("%q is nowhere", text)
		}
	}
	if strings.Contains(all, last) && !strings.Contains(found, last) {
		return fmt.Sprintf("%q is not found:\n%s", last, found)
	}
	for name, text := range after {
		for _, b := range markdown.Parse([]byte(text)).Blocks {
			if raw := string(bytes.TrimSpace(b.Raw)); b.Entry == nil && strings.Contains(raw, "agentflow v=1") {
				return name + " holds half an entry:\n" + raw
			}
		}
	}
	return ""
}

const waitingProposals = `{"version": 1, "settled": {}, "heard": [], "waiting": [
{"id": "0badcafe", "kind": "correction", "text": "The other proposal is about anise.", "at": "NOW"},
{"id": "c0ffee01", "kind": "correction", "text": "The proposal is about nutmeg.", "sentence": "no, nutmeg", "at": "NOW"}
]}`

// accepted checks a command that accepts a proposal. Either the proposal waits or the fact is
// stored; after a reported success the proposal waits no longer. The other proposal still waits.
func (tr *trial) accepted(before map[string]string) string {
	const text = "The proposal is about nutmeg."
	if complaint := tr.added(before, text); complaint != "" && tr.ok {
		return complaint
	}
	waiting, complaint := tr.fresh("review")
	switch stands := strings.Contains(strings.Join(slices.Collect(maps.Values(tr.memoryFiles())), "\n"), text); {
	case complaint != "":
		return complaint
	case !strings.Contains(waiting, "anise"):
		return "the other proposal is lost:\n" + waiting
	case !strings.Contains(waiting, text) && !stands:
		return "neither the proposal nor the fact is left:\n" + waiting
	case strings.Contains(waiting, text) && tr.ok:
		return "the accepted proposal still waits:\n" + waiting
	case strings.Contains(waiting, text):
		if _, complaint := tr.fresh("review", "accept", "c0ffee01"); complaint != "" {
			return complaint
		}
	}
	settled := *tr
	settled.ok = true
	return settled.added(before, text)
}

// whole checks a command that brings memory from one state to another: memory is in
// the second state if the command reported success, otherwise in one of them.
func (tr *trial) whole(before, after map[string]string) string {
	if _, complaint := tr.fresh("search", "saffron"); complaint != "" {
		return complaint
	}
	now := tr.memoryFiles()
	switch {
	case maps.Equal(now, after):
	case tr.ok:
		return "it is not done:\n" + differing(now, before, after)
	case !maps.Equal(now, before):
		return "it is half done:\n" + differing(now, before, after)
	}
	return ""
}

// purged is whole, and also checks that no file of agentflow holds the texts if the command
// reported success.
func (tr *trial) purged(before, after map[string]string) string {
	if complaint := tr.whole(before, after); complaint != "" || !tr.ok {
		return complaint
	}
	var holding []string
	for _, dir := range []string{".git/agentflow", ".agentflow"} {
		err := filepath.WalkDir(filepath.Join(tr.Repo, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte("Fact 3 is about thing3")) || bytes.Contains(data, []byte("Fact 5 is about thing5")) {
				holding = append(holding, path)
			}
			return err
		})
		if err != nil {
			return err.Error()
		}
	}
	if len(holding) > 0 {
		return fmt.Sprintf("a text is in %q", holding)
	}
	return ""
}

// undone checks an undo: if it reported success, the tree is as before the run.
// Otherwise a second undo makes it so.
func (tr *trial) undone(tree string) string {
	if !tr.ok {
		if out, complaint := tr.fresh("undo", "last", "--possible", "--yes"); complaint != "" && !strings.Contains(complaint, "is taken back") {
			return complaint + out
		}
	}
	if status := tr.Git("status", "--porcelain"); status != "" || tr.Git("rev-parse", "HEAD^{tree}") != tree {
		return "it is not undone:\n" + status
	}
	if _, complaint := tr.fresh("search", "saffron"); complaint != "" {
		return complaint
	}
	for _, left := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		if _, err := os.Lstat(filepath.Join(tr.Repo, ".git", left)); err == nil {
			return left + " is left behind"
		}
	}
	all := strings.Join(slices.Collect(maps.Values(tr.memoryFiles())), "\n")
	if !strings.Contains(all, "the task of cinnamon") {
		return "the entry of the run is gone"
	}
	return ""
}
