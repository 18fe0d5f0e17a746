package reflog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

// format is a line as refs/debug.c writes it.
func (m Move) format() string {
	return fmt.Sprintf("04:42:12.905108 refs/debug.c:71         0: %s %s -> %s (F=0x5, T=0x1) \"%s\"\n", m.Ref, orZeros(m.Old), orZeros(m.New), m.Message)
}

func orZeros(id git.ID) string {
	if id == "" {
		return gittest.Nul
	}
	return id.String()
}

func TestParseMove(t *testing.T) {
	good := strings.TrimSuffix(Move{Ref: "HEAD", Message: `commit: say "hi" (F=0x1`}.format(), "\n")
	if m, ok := parseMove(good); !ok || m.Message != `commit: say "hi" (F=0x1` {
		t.Errorf("got %+v, %v", m, ok)
	}
	for _, bad := range []string{
		"", good[:len(good)-1], good[1:], good[:60], "x" + good, good[:40] + good,
		strings.Replace(good, "0: ", ": ", 1), strings.Replace(good, gittest.Nul, strings.ToUpper(gittest.IDA), 1),
		strings.Replace(good, gittest.Nul, gittest.IDA+"aa", 1), strings.Replace(good, "->", "=>", 1), strings.Replace(good, "refs/debug.c", "refs/files-backend.c", 1),
		`04:42:12.948007 refs/debug.c:316        reflog_ent refs/stash (ret 1): ` + gittest.Nul + ` -> ` + gittest.IDA + `, a <a@b> 1795236132 "WIP"`,
		`04:42:12.903451 refs/debug.c:255        read_raw_ref: HEAD: ` + gittest.Nul + ` (=> refs/heads/main) type 1: 0`,
	} {
		if m, ok := parseMove(bad); ok {
			t.Errorf("%q was read as %+v", bad, m)
		}
	}
}

func TestRefsLogLongAndCutLines(t *testing.T) {
	a := Move{Ref: "HEAD", Message: "commit: a"}
	text := strings.Repeat("x", 3*maxLogLine) + "\n" + a.format() + "\xff\x00\n" + a.format() + strings.TrimSuffix(a.format(), "\n")
	moves, wrote, err := parseTrace(strings.NewReader(text))
	gittest.Must(t, err)
	if !wrote || len(moves) != 2 {
		t.Errorf("got %d moves, wrote %v", len(moves), wrote)
	}
	if _, wrote, _ := parseTrace(strings.NewReader("")); wrote {
		t.Error("an empty trace counts as written")
	}
}

func TestMadeBy(t *testing.T) {
	cases := []struct {
		name  string
		moves []string // "ref old new message"
		want  string
	}{
		{"commit", []string{"HEAD a b commit: x", "refs/heads/main a b commit: x"}, "b"},
		{"fetched first", []string{"refs/remotes/origin/main a b fetch", "HEAD a b merge origin/main: Fast-forward"}, ""},
		{"tagged first", []string{"refs/tags/t 0 b ", "HEAD a b commit: x"}, ""},
		{"was there", []string{"HEAD b c reset: moving to c", "HEAD c b commit: x"}, ""},
		{"rebase", []string{"HEAD a b rebase (start): checkout main", "HEAD b c rebase (pick): x", "refs/heads/s a c rebase (finish): refs/heads/s onto b"}, "c"},
		{"pull --rebase", []string{"HEAD a b pull --rebase (start): checkout b", "HEAD b c pull --rebase (pick): x"}, "c"},
		{"pull", []string{"HEAD a b pull: Fast-forward"}, ""},
		{"pull merges", []string{"HEAD a b pull: Merge made by the 'ort' strategy."}, "b"},
		{"plumbing", []string{"refs/heads/x 0 b "}, "b"},
		{"branch", []string{"refs/heads/x 0 b branch: Created from origin/x"}, ""},
		{"stash", []string{"refs/stash 0 b WIP on main: x"}, ""},
		{"clone", []string{"HEAD 0 b clone: from x"}, ""},
		{"am", []string{"HEAD a b am: x"}, "b"},
		{"message like a move", []string{"HEAD a b commit: reset: x", "HEAD b c commit: rebase (start) docs"}, "b c"},
	}
	ids := map[string]string{"a": gittest.IDA, "b": gittest.IDB, "c": gittest.IDC, "0": gittest.Nul}
	for _, c := range cases {
		var moves []Move
		for _, line := range c.moves {
			f := strings.SplitN(line, " ", 4)
			old, _ := git.ParseID(ids[f[1]])
			id, _ := git.ParseID(ids[f[2]])
			moves = append(moves, Move{f[0], old, id, f[3]})
		}
		var got []string
		for id := range MadeBy(moves) {
			got = append(got, id.String()[:1])
		}
		slices.Sort(got)
		gittest.Want(t, c.name, strings.Join(got, " "), c.want)
	}
}

// FuzzRefsLog: a whole line is read back as it was written, among any noise, and the noise gives
// only the moves that it contains.
func FuzzRefsLog(f *testing.F) {
	f.Add("noise\n", "commit: x", "refs/heads/main")
	f.Add(Move{Ref: "HEAD"}.format(), `a "quoted" -> (F=0x5, T=0x1) "b`, "HEAD")
	f.Add("04:42:12.905108 refs/debug.c:71         0: HEAD ", "", "refs/heads/ü")
	if real, err := os.ReadFile(filepath.Join("testdata", "refs.log")); err == nil {
		f.Add(string(real), "commit: x", "HEAD")
	}
	f.Fuzz(func(t *testing.T, noise, message, ref string) {
		if strings.ContainsAny(message+ref, "\n") || strings.Contains(ref, " ") || ref == "" ||
			len(message)+len(ref) > maxLogLine/2 {
			return
		}
		m := Move{Ref: ref, Message: message}
		m.Old, _ = git.ParseID(gittest.IDA)
		m.New, _ = git.ParseID(gittest.IDB)
		before, _, err := parseTrace(strings.NewReader(noise + "\n"))
		gittest.Must(t, err)
		all, wrote, err := parseTrace(strings.NewReader(noise + "\n" + m.format() + noise))
		gittest.Must(t, err)
		if !wrote || len(all) <= len(before) || all[len(before)] != m {
			t.Errorf("%q was not read back: %+v", m.format(), all)
		}
	})
}

func TestReflogLine(t *testing.T) {
	m, ok := ParseLine(gittest.IDA + " " + gittest.IDB + " A > B <a@b> 1795236132 +0100\tcommit: x")
	if !ok || m.New.String() != gittest.IDB || m.Time.Unix() != 1795236132 || m.Message != "commit: x" {
		t.Errorf("got %+v %v", m, ok)
	}
	if _, ok := ParseLine(gittest.IDA + " " + gittest.IDB); ok {
		t.Error("half a line was read")
	}
}

func TestUnfinished(t *testing.T) {
	const begun, done = "04:42:12.905108 refs/debug.c:51         transaction_prepare: 0 \"\"\n", "04:42:12.905208 refs/debug.c:97         finish: 0\n"
	for text, want := range map[string]bool{
		"": false, begun: true, begun + Move{Ref: "HEAD"}.format(): true, begun + done: false, begun + done + begun: true,
		strings.Replace(begun, ": 0 ", ": -2 ", 1): false,
	} {
		dir := t.TempDir()
		gittest.Must(t, os.WriteFile(filepath.Join(dir, TraceFile), []byte(text), 0o600))
		if got := Unfinished(dir); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
