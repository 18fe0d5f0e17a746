package why_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/list"
	"agentflow/app/run"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/app/why"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

// pastLab is a repository in which runs and a person change history
// asCaller people and agents do. Each line of its files names its writer.
type pastLab struct {
	*apptest.Place
	m      *app.Memory
	random *rand.Rand
	count  int               // of lines, so that no two are the same
	wrote  map[string]string // by run: the name of the file that it changed
	runs   int               // so far
	log    []string          // what was done
}

func newWhy(t *testing.T, seed uint64, hooks bool) *pastLab {
	p := apptest.NewRepository(t)
	w := &pastLab{Place: p, m: p.Memory(), random: rand.New(rand.NewPCG(seed, 5)), wrote: map[string]string{}}
	if hooks {
		apptest.Must(commit.InstallHooks(t.Context(), w.m))(t)
	}
	apptest.Must(setup.Init(t.Context(), w.m))(t)
	for _, file := range []string{"a.txt", "dir/b.txt"} {
		w.Write(file, strings.Join(w.lines("hand", 12), ""))
	}
	w.Git("add", ".")
	w.Git("commit", "-qm", "begin")
	return w
}

// lines returns new lines of a writer.
func (w *pastLab) lines(who string, n int) (list []string) {
	for range n {
		w.count++
		list = append(list, fmt.Sprintf("written by %s, number %d\n", who, w.count))
	}
	return list
}

// files returns the files of the work tree.
func (w *pastLab) files() []string {
	all := strings.Fields(w.Git("ls-files", "--cached", "--others", "--exclude-standard"))
	return slices.DeleteFunc(all, func(name string) bool { return name == "README" || !w.Exists(name) })
}

func (w *pastLab) oneFile() string {
	files := w.files()
	return files[w.random.IntN(len(files))]
}

// changed returns a file with a writer's lines inserted, and sometimes some lines removed.
func (w *pastLab) changed(file, who string) string {
	lines := slices.Collect(strings.Lines(w.Read(file)))
	at := w.random.IntN(len(lines) + 1)
	out := slices.Insert(lines, at, w.lines(who, 1+w.random.IntN(4))...)
	if w.random.IntN(3) == 0 && len(out) > 10 {
		i := w.random.IntN(len(out) - 3)
		out = slices.Delete(out, i, i+2)
	}
	return strings.Join(out, "")
}

// run lets a run change a file and then execute a script.
func (w *pastLab) run(file, then string) {
	w.T.Helper()
	w.runs++
	who := fmt.Sprintf("run %d", w.runs)
	w.wrote[who] = file
	next := filepath.Join(w.Home, "next")
	w.Write(next, w.changed(file, who))
	script := fmt.Sprintf("cp '%s' '%s'; %s", next, file, then)
	res, err := run.Run(w.T.Context(), w.m, apptest.ShellAgent("Task of "+who, script))
	if err != nil || res.Run.Outcome != memory.OutcomeOK {
		w.T.Fatalf("%+v, %v", res, err)
	}
}

func (w *pastLab) edit(file string) { w.Write(file, w.changed(file, "hand")) }

func (w *pastLab) clean() bool { return w.Git("status", "--porcelain") == "" }

// commitAll commits all changes, if there are any.
func (w *pastLab) commitAll(title string) {
	w.Git("add", "-A")
	if !w.clean() {
		w.Git("commit", "-qm", title)
	}
}

func (w *pastLab) commits() int { return len(strings.Fields(w.Git("rev-list", "HEAD"))) }

// acts are the possible changes of a repository, by name.
var acts = map[string]func(w *pastLab){
	"a run commits":           func(w *pastLab) { f := w.oneFile(); w.run(f, "git add '"+f+"'; git commit -qm 'of a run'") },
	"a run commits all":       func(w *pastLab) { w.run(w.oneFile(), "git add -A; git commit -qm 'all, of a run'") },
	"a run leaves edits":      func(w *pastLab) { w.run(w.oneFile(), "true") },
	"a run leaves more edits": func(w *pastLab) { w.run(w.oneFile(), "true") },
	"a run makes a file":      func(w *pastLab) { f := fmt.Sprintf("new%d.txt", w.count); w.Write(f, ""); w.run(f, "true") },
	"a person commits":        func(w *pastLab) { w.edit(w.oneFile()); w.commitAll("by hand") },
	"a person edits":          func(w *pastLab) { w.edit(w.oneFile()) },
	"all is committed":        func(w *pastLab) { w.commitAll("what was left") },
	"an amend, with lines": func(w *pastLab) {
		w.edit(w.oneFile())
		w.Git("add", "-A")
		w.Git("commit", "-q", "--amend", "-m", "amended")
	},
	"an amend of the message": func(w *pastLab) { w.Git("commit", "-q", "--amend", "-m", "said better") },
	"memory is read":          func(w *pastLab) { apptest.Must(list.Log(w.T.Context(), w.m, list.LogRequest{}))(w.T) },
	"the history is taken in": func(w *pastLab) { apptest.Must(commit.Backfill(w.T.Context(), w.m, commit.BackfillRequest{}))(w.T) },
	"a search": func(w *pastLab) {
		apptest.Must(search.Search(w.T.Context(), w.m, search.SearchRequest{Text: "task of run", Limit: 5}))(w.T)
	},
	"a file gets another name": func(w *pastLab) {
		w.commitAll("before the move")
		f := w.oneFile()
		w.Git("mv", f, f+"x")
		w.commitAll("moved")
	},
	"a squash": func(w *pastLab) {
		w.commitAll("before the squash")
		if w.commits() > 4 {
			w.Git("reset", "-q", "--soft", "HEAD~2")
			w.Git("commit", "-q", "--allow-empty", "-m", "squashed")
		}
	},
	"a rebase": func(w *pastLab) {
		w.commitAll("before the rebase")
		if w.commits() > 4 {
			w.Git("checkout", "-q", "-b", "base", "HEAD~2")
			w.Write(fmt.Sprintf("base%d.txt", w.count), strings.Join(w.lines("hand", 3), ""))
			w.commitAll("another base")
			w.Git("rebase", "-q", "base", "main")
			w.Git("branch", "-D", "base")
		}
	},
	"a cherry-pick": func(w *pastLab) {
		w.commitAll("before the pick")
		f := w.oneFile()
		w.Git("checkout", "-q", "-b", "side")
		w.run(f, "git add '"+f+"'; git commit -qm 'to be picked'")
		w.Git("checkout", "-q", "main")
		w.Write(fmt.Sprintf("beside%d.txt", w.count), strings.Join(w.lines("hand", 2), ""))
		w.commitAll("beside")
		w.Git("cherry-pick", "side")
		w.Git("branch", "-q", "-D", "side")
	},
}

// TestWhyOfRandomHistories asks about every line of repositories with a random
// past. The commit is always the one of git blame, as the log has it. A run's
// line is never attributed to a person or another run, and a person's line is never
// surely a run's.
func TestWhyOfRandomHistories(t *testing.T) {
	names := []string{}
	for name := range acts {
		names = append(names, name)
	}
	slices.Sort(names)
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWhy(t, seed, seed%2 == 0)
			for range 22 {
				name := names[w.random.IntN(len(names))]
				w.log = append(w.log, name)
				acts[name](w)
			}
			w.check()
			apptest.Must(commit.Backfill(t.Context(), w.m, commit.BackfillRequest{}))(t)
			w.log = append(w.log, "the history is taken in")
			w.check()
			if t.Failed() {
				t.Log(strings.Join(w.log, ", "))
			}
		})
	}
}

// check asks about all lines, one by one and at once.
func (w *pastLab) check() {
	w.T.Helper()
	counts := map[string]int{}
	for _, file := range w.files() {
		lines := strings.Split(strings.TrimSuffix(w.Read(file), "\n"), "\n")
		if len(lines) == 1 && lines[0] == "" {
			continue
		}
		blamed := w.blame(file, len(lines))
		whole := apptest.Must(why.Why(w.T.Context(), w.m, why.WhyRequest{Path: file, From: 1, To: len(lines)}))(w.T)
		next := 1
		for _, o := range whole.Origins {
			if o.From != next || o.Lines != o.To-o.From+1 || o.Text != strings.Join(lines[o.From-1:o.To], "\n") {
				w.T.Errorf("%s:%d-%d, after line %d: %q", file, o.From, o.To, next-1, o.Text)
			}
			next = o.To + 1
			for i := o.From; i <= o.To; i++ {
				counts[w.judge(fmt.Sprintf("%s:%d", file, i), lines[i-1], blamed[i-1], o)]++
			}
		}
		if next != len(lines)+1 {
			w.T.Errorf("%s has %d lines, and %d are told of", file, len(lines), next-1)
		}
		i := w.random.IntN(len(lines)) + 1
		one := apptest.Must(why.Why(w.T.Context(), w.m, why.WhyRequest{Path: fmt.Sprintf("%s:%d", file, i)}))(w.T)
		if len(one.Origins) != 1 {
			w.T.Fatalf("%s:%d alone: %+v", file, i, one.Origins)
		}
		w.judge(fmt.Sprintf("%s:%d alone", file, i), lines[i-1], blamed[i-1], one.Origins[0])
	}
	w.T.Log(counts)
}

func taskOf(o api.WhyOrigin) string {
	if o.Entry == nil {
		return ""
	}
	return o.Entry.Task
}

var writtenBy = regexp.MustCompile(`^written by (.+), number`)

// judge compares the reported origin of a line with its writer and with git.
func (w *pastLab) judge(at, text, commit string, o api.WhyOrigin) string {
	w.T.Helper()
	who := writtenBy.FindStringSubmatch(text)[1]
	said, wrong := "", func(why string) {
		w.T.Errorf("%s, %q: %s: %+v; %s, certainty %q, remark %q", at, text, why, o.Commit, taskOf(o), o.Certainty, o.Remark)
	}
	switch {
	case commit == "" != (o.Commit == nil):
		wrong("git blame names " + commit)
	case o.Commit != nil && (o.Commit.ID != commit || o.Commit.Subject+" "+o.Commit.Time.Format("2006-01-02T15:04:05Z07:00") != strings.Replace(w.Git("log", "-1", "--format=%s %cI", commit), "+00:00", "Z", 1)):
		wrong("git blame names " + w.Git("log", "-1", "--format=%H %s %cI", commit))
	}
	byRun := o.Entry != nil && o.Entry.Kind.ByAgent()
	switch {
	case who == "hand" && byRun && o.Certainty.Sure():
		wrong("a person wrote it")
		said = "hand as run"
	case who == "hand" && byRun:
		said = "hand as possible run"
	case who == "hand":
		said = "hand"
	case !byRun && o.Commit != nil && o.Commit.Path != w.wrote[who]:
		said = "run, in a file with another name, as hand" // which nothing leads to
	case !byRun:
		wrong("a run wrote it")
		said = "run as hand"
	case o.Entry.Task != "Task of "+who:
		wrong("another run wrote it")
		said = "run as another"
	default:
		said = "run"
	}
	return said
}

// blame returns the commit of each line, by git; empty if it is not committed.
func (w *pastLab) blame(file string, lines int) (commits []string) {
	w.T.Helper()
	out, err := w.TryGit("blame", "-s", "-l", "--root", "--", file)
	if err != nil {
		return make([]string, lines)
	}
	for line := range strings.SplitSeq(out, "\n") {
		id, _, _ := strings.Cut(line, " ")
		commits = append(commits, strings.Trim(id, "^"))
		if strings.Trim(id, "0") == "" {
			commits[len(commits)-1] = ""
		}
	}
	return commits
}
