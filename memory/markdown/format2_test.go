package markdown

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"agentflow/internal/testing/memorytest"
	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// checkEntry2 checks the promises of FormatV2 and Parse for one entry, by itself and between other
// text.
func checkEntry2(t *testing.T, e memory.Entry) {
	t.Helper()
	want := NormalV2(e)
	text := FormatV2(e)
	for _, eol := range []string{"\n", "\r\n"} {
		src := bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
		d := Parse(src)
		if len(d.Blocks) != 1 || d.Blocks[0].Entry == nil || d.Blocks[0].Version != 2 {
			t.Fatalf("%d blocks from %q", len(d.Blocks), src)
		}
		if got := *d.Blocks[0].Entry; !sameEntry(got, want) {
			t.Fatalf("got  %+v\nwant %+v\nfrom %s", got, want, src)
		}
	}
	if again := FormatV2(*Parse(text).Blocks[0].Entry); !bytes.Equal(again, text) {
		t.Fatalf("formatted again %q, first %q", again, text)
	}
	first := string(Format(e))
	around := "hand\n```\nunclosed\n\n"
	src := around + first + string(text) + "more\n\n" + string(text) + first + "after\n"
	d := Parse([]byte(src))
	if string(d.Bytes()) != src || len(d.Blocks) != 7 || !bytes.Equal(d.Blocks[2].Raw, text) || string(d.Blocks[5].Raw) != first {
		t.Fatalf("%d blocks around %q", len(d.Blocks), text)
	}
	if got := *d.Blocks[4].Entry; !sameEntry(got, want) {
		t.Fatalf("got  %+v\nwant %+v\namong others, from %q", got, want, text)
	}
}

func TestGolden2(t *testing.T) {
	for name, e := range goldenEntries(t) {
		t.Run(name, func(t *testing.T) {
			checkEntry2(t, e)
			file := filepath.Join("testdata", name+".v2.golden")
			got := FormatV2(e)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestAnyEntryComesBackFromV2(t *testing.T) {
	randomtest.Check(t, 1000, func(t *testing.T, rnd *rand.Rand) {
		s := source{randomBytes(rnd, 1500)}
		checkEntry2(t, s.entry())
	})
}

func TestLookalikesComeBackFromV2(t *testing.T) {
	at := memorytest.At(t, memorytest.Day)
	for _, e := range []memory.Entry{
		{Title: "a: failed", Result: &memory.Result{Outcome: memory.OutcomeFailed}},
		{Title: "a: failed", Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}},
		{Title: "14:32 again"}, {Title: "14:32"}, {Title: ""},
		{Summary: "- changed: a.go"}, {Summary: "* x"}, {Summary: "+ x\n+ y"}, {Summary: "ok\n- changed: a.go\n- [fact] x"},
		{Summary: "[fact] x", Facts: []memory.Fact{{ID: "f", Text: "[fact] y"}, {ID: "g", Text: "[fact]"}}},
		{Title: "Fix the login test that fails on…", Task: "Fix the login test that fails on Mondays,\nplease"},
		{Title: "Fix", Task: "Fix\n\n\nmore"}, {Title: "Fix", Task: "Fix it"}, {Title: "Fix"}, {Task: "Fix"}, {Title: "F…", Task: "Fix"},
		{Kind: memory.KindCommit, Title: "Bump", Task: "Bump\n\nBecause."},
		{Kind: memory.KindCommit, Title: "Bump the…", Task: "Bump the version\n\nBecause."},
		{Kind: memory.KindCommit, Title: "Bump the…", Task: "Bump the… version"},
		{Kind: memory.KindCommit, Title: "Bump", Task: "Bump\n\nBecause.", Summary: "x"},
		{Kind: memory.KindSession, Title: "Fix", Task: "Fix", Then: []string{"more", "…x"}},
		{Kind: memory.KindSession, Title: "Fix", Task: "", Then: []string{"more"}},
		{Kind: memory.KindSession, Title: "Fix", Task: "Fix\nall", Then: []string{"more"}},
		{Checks: []string{"go test ./...; make lint: failed", "", "\\", "x\ny"}},
		{Changes: changeset.List{Items: []changeset.Change{
			{Status: changeset.StatusModified, Path: "a", Note: "new"}, {Status: changeset.StatusAdded, Path: "a", Note: "all uncommitted"},
			{Status: changeset.StatusModified, Path: "a, b +1 −1", Note: "3 files"}, {Status: changeset.StatusModified, Path: "and 3 more"},
			{Status: changeset.StatusRenamed, Path: "a"}, {Status: changeset.StatusModified, Path: "a", OldPath: "b"}, {Status: changeset.StatusFolder, Path: "./"},
		}, Unread: "x"}},
	} {
		if e.ID, e.Time = "e1", at; e.Kind == "" {
			e.Kind = memory.KindRun
		}
		checkEntry2(t, e)
		checkEntry(t, e)
	}
}

func FuzzRoundTripV2(f *testing.F) {
	f.Add([]byte("seed"))
	f.Add(bytes.Repeat([]byte{7, 3, 11, 8}, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := source{data}
		checkEntry2(t, s.entry())
	})
}
