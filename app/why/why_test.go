package why_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/open"
	"agentflow/app/run"
	"agentflow/app/setup"
	"agentflow/app/why"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"
)

// whyLine returns the only origin of a line.
func whyLine(t *testing.T, m *app.Memory, at string) api.WhyOrigin {
	t.Helper()
	res, err := why.Why(t.Context(), m, why.WhyRequest{Path: at})
	if err != nil || len(res.Origins) != 1 {
		t.Fatalf("%s: %+v, %v", at, res, err)
	}
	return res.Origins[0]
}

// wantOrigin compares an origin, in words: "shown run Task of mine".
func wantOrigin(t *testing.T, at string, o api.WhyOrigin, want, remark string) {
	t.Helper()
	got := "nobody"
	if o.Entry != nil {
		got = fmt.Sprintf("%s %s %s", o.Certainty, o.Entry.Kind, o.Entry.Title)
	}
	if got != want || !strings.Contains(o.Remark, remark) || remark == "" && o.Remark != "" {
		t.Errorf("%s: %s (%s), want %s (%s)", at, got, o.Remark, want, remark)
	}
}

// TestWhyOfAnAgent: the edits of an agent that reports its tool calls are surely the agent's.
// The answer includes what memory had put in front of the agent.
func TestWhyOfAnAgent(t *testing.T) {
	p := &apptest.Place{Lab: labtest.New(t, "task parrots\nwrite song.txt \"a song about parrots\\n\"\nsay The parrots sing.\n")}
	m := p.Memory()
	apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: apptest.Text("Songs about parrots rhyme.")}))(t)
	res, err := run.Run(t.Context(), m, run.Request{Task: "Write a song about parrots"})
	if err != nil || res.Run.Outcome != memory.OutcomeOK {
		t.Fatalf("%+v, %v", res, err)
	}
	o := whyLine(t, m, "song.txt:1")
	wantOrigin(t, "song.txt:1", o, "shown run Write a song about parrots", "not committed yet")
	if o.Entry.Summary != "The parrots sing." || len(o.Entry.Facts) != 1 || o.Entry.Facts[0].Title != "Songs about parrots rhyme." || o.Entry.Agent != "scripted" {
		t.Errorf("%+v", o.Entry)
	}
	p.Write("song.txt", "a song about parrots\nwith a line of mine\n")
	wantOrigin(t, "song.txt:1, edited", whyLine(t, m, "song.txt:1"), "likely run Write a song about parrots", "not committed yet")
	wantOrigin(t, "song.txt:2", whyLine(t, m, "song.txt:2"), "nobody", "a person may have")

}

func TestWhyNobodyKnows(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	wantOrigin(t, "no memory", whyLine(t, m, "README:1"), "nobody", "agentflow backfill")
	for _, made := range []string{".agentflow", ".git/agentflow"} {
		if _, err := os.Lstat(p.Path(made)); err == nil {
			t.Errorf("the question made %s", made)
		}
	}
	apptest.Must(setup.Init(t.Context(), m))(t)
	wantOrigin(t, "no entry", whyLine(t, m, "README:1"), "nobody", "agentflow backfill")
	apptest.Must(commit.Backfill(t.Context(), m, commit.BackfillRequest{}))(t)
	o := whyLine(t, m, "README:1")
	wantOrigin(t, "an entry", o, "shown commit start", "")
	p.Forget(m, forget.Request{IDs: []string{o.Entry.ID}})
	wantOrigin(t, "forgotten", whyLine(t, m, "README:1"), "nobody", "was forgotten")
	p.Write("secret.txt", "token ghp_Zk3v9QwT7bXr2LmN8pJd5HsYc1FgA4uVe6Bx\x1b[31m red\n")
	if text := whyLine(t, m, "secret.txt:1").Text; strings.Contains(text, "ghp_Zk3") || strings.Contains(text, "\x1b") {
		t.Errorf("the line is given as %q", text)
	}

	from := p.Repo
	shallow := apptest.NewFolder(t)
	p.Commit("README", "second")
	shallow.Git("clone", "-q", "--depth=1", "file://"+from, ".")
	sm := shallow.Memory()
	apptest.Must(setup.Init(t.Context(), sm))(t)
	wantOrigin(t, "the end of a shallow history", whyLine(t, sm, "README:1"), "nobody", "history of this clone begins here")
}

// TestWhyRefuses: paths without lines, missing paths, and paths that must not be
// read.
func TestWhyRefuses(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := why.Why(t.Context(), m, why.WhyRequest{Path: "README:1"})
	if err != nil || none.Origins == nil {
		t.Errorf("without memory: %+v, %v", none, err)
	}
	apptest.Must(setup.Init(t.Context(), m))(t)
	p.Write("picture.bin", "a\x00b\n")
	p.Write("a:3", "one\n")
	if err := os.Symlink("/etc/hostname", p.Path("link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Dir(p.Repo), p.Path("out")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]app.Kind{
		"": app.KindUsage, "README:2": app.KindUsage, "README:0": app.KindUsage, "README:9-8": app.KindUsage, "README:999999999": app.KindUsage, "../README": app.KindUsage, "/etc/passwd:1": app.KindUsage,
		".git/config:1": app.KindUsage, ".GIT/config:1": app.KindUsage, "out/home/gitconfig:1": app.KindUsage, "none:1": app.KindNotFound, "none": app.KindNotFound,
		".:1": app.KindRefused, "picture.bin:1": app.KindRefused, "a\x00b": app.KindUsage,
	} {
		_, err := why.Why(t.Context(), m, why.WhyRequest{Path: path})
		if known, ok := err.(*app.Error); !ok || known.Kind != want {
			t.Errorf("%q: want an error of kind %s, have %v", path, want, err)
		}
	}
	if o := whyLine(t, m, "link:1"); o.Text != "/etc/hostname" {
		t.Errorf("a link holds %q", o.Text)
	}
	if res := apptest.Must(why.Why(t.Context(), m, why.WhyRequest{Path: "a:3"}))(t); res.Kind != "file" || res.Lines != 1 {
		t.Errorf("a file whose name ends like a line: %+v", res)
	}
	bare := apptest.NewFolder(t)
	bare.Git("init", "-q", "--bare")
	bare.Write(".agentflow/memory/x.md", "x\n")
	_, err = why.Why(t.Context(), bare.Memory(), why.WhyRequest{Path: "x:1"})
	apptest.WantKind(t, err, app.KindNoPlace)
}

// TestWhyInOddPlaces: a linked work tree, a folder in it, SHA-256, odd names, a
// repository without a commit.
func TestWhyInOddPlaces(t *testing.T) {
	for name, begin := range map[string][]string{"sha1": {"init", "-q"}, "sha256": {"init", "-q", "--object-format=sha256"}} {
		p := apptest.NewFolder(t)
		p.Git(begin...)
		m := p.Memory()
		odd := "dir/odd \"näme\"\t(x).txt"
		apptest.RunNow(t, m, "Begin it", "mkdir dir; echo 'the first line of it' >'"+odd+"'")
		wantOrigin(t, name+": unborn", whyLine(t, m, odd+":1"), "possible run Begin it", "not committed yet")
		p.Git("add", ".")
		p.Git("commit", "-qm", "begun")
		wantOrigin(t, name+": committed", whyLine(t, m, odd+":1"), "possible run Begin it", "committed afterwards")
		linked := filepath.Join(p.Home, name)
		p.Git("worktree", "add", "-q", linked)
		there, err := open.Open(t.Context(), filepath.Join(linked, "dir"), app.Env{Vars: p.Env})
		if err != nil {
			t.Fatal(err)
		}
		defer there.Close()
		wantOrigin(t, name+": in a linked work tree", whyLine(t, there, filepath.Base(odd)+":1"), "possible run Begin it", "committed afterwards")
	}
}

// TestWhyOfPaths: a file, a folder, and a path that no longer exists.
func TestWhyOfPaths(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.RunNow(t, m, "Write three lines", "mkdir dir; printf 'one of three\\ntwo of three\\nthree of three\\n' >dir/a; git add .; git commit -qm three")
	apptest.RunNow(t, m, "Write a line more", "echo 'a line more than three' >>dir/a; git commit -qam more")
	apptest.RunNow(t, m, "Take a line out", "sed -i.bak 2d dir/a; rm dir/a.bak; git commit -qam less")
	p.Git("mv", "dir/a", "dir/b")
	p.Write("dir/b", p.Read("dir/b")+"a line that is mine\nand one more\nand yet one\n")
	apptest.Must(commit.Backfill(t.Context(), m, commit.BackfillRequest{}))(t)
	told := func(path string) string {
		t.Helper()
		res := apptest.Must(why.Why(t.Context(), m, why.WhyRequest{Path: path}))(t)
		lines := []string{res.Kind}
		for _, o := range res.Origins {
			who := "nobody"
			if o.Entry != nil {
				who = o.Entry.Title
			}
			lines = append(lines, fmt.Sprintf("%d %s", o.Lines, who))
		}
		return strings.Join(lines, ", ")
	}
	for path, want := range map[string]string{
		"dir/b": "file, 3 nobody, 2 Write three lines, 1 Write a line more, 0 Take a line out",
		"dir":   "folder, 0 Take a line out, 0 Write a line more, 0 Write three lines",
		"dir/a": "gone, 0 Take a line out, 0 Write a line more, 0 Write three lines",
	} {
		if got := told(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	p.Git("commit", "-qam", "moved")
	apptest.Must(commit.Backfill(t.Context(), m, commit.BackfillRequest{}))(t)
	if got := told("dir/b"); got != "file, 3 moved, 2 Write three lines, 1 Write a line more, 0 Take a line out" {
		t.Error(got)
	}
	one := apptest.Must(why.Why(t.Context(), m, why.WhyRequest{Path: "dir/b", Limit: 1}))(t)
	if len(one.Origins) != 1 || one.More != 3 {
		t.Errorf("%+v", one)
	}
	p.Write("dir/b", strings.Repeat("a line of many lines\n", why.MaxBlameFile+10))
	if res := apptest.Must(why.Why(t.Context(), m, why.WhyRequest{Path: "dir/b"}))(t); len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "only the first 20000 of its 20010 lines") {
		t.Errorf("%v", res.Notes)
	}
}
