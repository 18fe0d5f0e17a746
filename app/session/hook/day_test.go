package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/executor/runfolder"
	"agentflow/internal/testing/labtest"
	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// BenchmarkDay replays a day of work in one session: 40 prompts, a third of them continuations
// and questions. The tasks are the last commits of a repository's history, and memory knows the
// earlier ones. AGENTFLOW_DAY names the repository; the default is this one. The benchmark
// reports the number of entries, the tokens that the session is given, and the share of them
// that is about its files.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		d := newDay(b)
		d.play()
		d.report()
	}
}

// aside are the prompts between tasks.
var aside = []string{
	"yes, go on", "How do I run the tests?", "ok, continue", "What is the weather like today?", "thanks", "Which Go version is this?", "go ahead please",
	"Can you explain what a mutex is?", "yes", "Is there anything left to do?", "perfect, next", "Write a haiku about Fridays", "continue", "What did we do so far?",
}

const prompts = 40

type day struct {
	b       *testing.B
	l       *lab
	tasks   []string            // commits, oldest first
	files   map[string][]string // of entries, by id
	player  *Player
	begun   int // tokens that the session began with
	given   []int
	asides  int
	hits    int
	touched int
	noise   int // prompts aside that were given something
}

func newDay(b *testing.B) *day {
	source, err := filepath.Abs(cmp.Or(os.Getenv("AGENTFLOW_DAY"), ".."))
	if err != nil {
		b.Fatal(err)
	}
	l := &lab{Lab: labtest.Folder(b)}
	d := &day{b: b, l: l, files: map[string][]string{}}
	l.Git("clone", "-q", source, "clone")
	l.Repo = l.Path("clone")
	list := strings.Fields(d.git("log", "--first-parent", "--no-merges", "--format=%H", "-n", "200"))
	for _, id := range list {
		if names := d.changed(id); len(names) > 0 && len(names) <= 20 {
			d.tasks = append(d.tasks, id)
		}
		if len(d.tasks) == prompts-len(aside) {
			break
		}
	}
	slices.Reverse(d.tasks)
	d.git("reset", "-q", "--hard", d.tasks[0]+"~1")
	d.open(func(m *app.Memory) error {
		_, err := commit.Backfill(b.Context(), m, commit.BackfillRequest{})
		return err
	})
	d.player = l.player()
	return d
}

func (d *day) git(args ...string) string {
	d.b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = d.l.Repo, d.l.Env
	out, err := cmd.Output()
	if err != nil {
		d.b.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func (d *day) open(do func(m *app.Memory) error) {
	d.b.Helper()
	m, err := d.l.open(d.l.Repo)
	if err == nil {
		defer m.Close()
		err = do(m)
	}
	if err != nil {
		d.b.Fatal(err)
	}
}

func (d *day) changed(id string) []string {
	out := d.git("diff-tree", "-r", "--no-commit-id", "--name-only", "--diff-filter=AM", id)
	return strings.Fields(out)
}

// play plays the session: two tasks and something aside, in turn. Every other task
// is committed.
func (d *day) play() {
	d.l.T = d.b
	d.begun = memory.Tokens(d.player.Start("startup"))
	for n, left := 0, d.tasks; n < prompts; n++ {
		if n%3 == 2 || len(left) == 0 {
			d.ask(aside[d.asides%len(aside)], nil, Say("Well."))
			d.asides++
			continue
		}
		id := left[0]
		left = left[1:]
		subject := strings.TrimSpace(d.git("log", "-1", "--format=%s", id))
		names := d.changed(id)
		acts := []Act{}
		for _, name := range names {
			acts = append(acts, Write(name, d.git("show", id+":"+name)))
		}
		if len(left)%2 == 0 {
			acts = append(acts, Run("git add -A . && git commit -q -m done"))
		}
		d.ask(subject, names, append(acts, Say("Done."))...)
	}
	d.player.End("other")
}

// ask plays one prompt with a turn that touches files.
func (d *day) ask(prompt string, names []string, acts ...Act) {
	before := len(d.shown())
	text, _ := d.player.Turn(prompt, acts...)
	d.given = append(d.given, memory.Tokens(text))
	if names == nil && text != "" {
		d.noise++
	}
	for _, id := range d.shown()[before:] {
		d.hits++
		if slices.ContainsFunc(d.filesOf(id), func(path string) bool { return slices.Contains(names, path) }) {
			d.touched++
		}
	}
}

// shown returns the ids of the entries that the session was shown.
func (d *day) shown() (ids []string) {
	files, _ := filepath.Glob(d.l.Path(".git/agentflow/sessions/*/shown.jsonl"))
	for _, file := range files {
		for line := range bytes.Lines([]byte(d.l.Read(file))) {
			var l struct{ Hits []runfolder.RecalledItem }
			if json.Unmarshal(line, &l) == nil {
				for _, hit := range l.Hits {
					ids = append(ids, hit.ID)
				}
			}
		}
	}
	return ids
}

// filesOf returns the changed files of an entry.
func (d *day) filesOf(id string) []string {
	if names, known := d.files[id]; known {
		return names
	}
	paths, _ := filepath.Glob(d.l.Path(".agentflow/memory/2*.md"))
	for _, path := range paths {
		for _, e := range markdown.Parse([]byte(d.l.Read(path))).Entries() {
			d.files[e.ID] = []string{}
			for _, c := range slices.Concat(e.Changes.Items, e.Uncommitted.Items) {
				d.files[e.ID] = append(d.files[e.ID], c.Path)
			}
		}
	}
	return d.files[id]
}

func (d *day) report() {
	sessions := 0
	for _, e := range d.l.entries() {
		if e.Kind == memory.KindSession {
			sessions++
		}
	}
	sum, asked := 0, 0
	for _, tokens := range d.given {
		sum += tokens
		if tokens > 0 {
			asked++
		}
	}
	slices.Sort(d.given)
	for name, value := range map[string]float64{
		"ns/op": 0, "entries": float64(sessions), "start-tokens": float64(d.begun), "tokens": float64(sum), "tokens/prompt": float64(sum) / prompts,
		"most-tokens": float64(d.given[len(d.given)-1]), "prompts-given": float64(asked), "hits": float64(d.hits), "asides-given": float64(d.noise), "hits-touched/hit": float64(d.touched) / float64(max(d.hits, 1)),
	} {
		d.b.ReportMetric(value, name)
	}
}
