package share

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

func key(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, k, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

// folder returns a folder in the form of a tree.
func folder(k ed25519.PrivateKey, sequence uint64, files map[string]string) (CloneID, []Entry[string]) {
	m := Manifest{Key: public(k), Author: "Ada", Sequence: sequence, Time: time.Unix(1800000000, 0), What: Entries}
	var list []Entry[string]
	for _, name := range []string{"2026-11-22.md", "MEMORY.md", "forgotten"} {
		if text, ok := files[name]; ok {
			m.Files = append(m.Files, FileOf(name, []byte(text)))
			list = append(list, Entry[string]{Name: name, Size: int64(len(text)), Blob: text})
		}
	}
	raw := string(m.Sign(k))
	return m.ID(), append(list, Entry[string]{Name: ManifestFile, Size: int64(len(raw)), Blob: raw})
}

func readString(s string) ([]byte, error) { return []byte(s), nil }

func TestCheck(t *testing.T) {
	k := key(t)
	id, list := folder(k, 3, map[string]string{"MEMORY.md": "# Memory\n", "2026-11-22.md": "# Day\n"})
	f, err := Check(id, list, readString)
	if err != nil || f.Sequence != 3 || f.Author != "Ada" || len(f.Files) != 2 || f.Files["MEMORY.md"] != "# Memory\n" {
		t.Fatalf("%+v, %v", f, err)
	}
	other, _ := folder(key(t), 1, nil)
	for name, c := range map[string]struct {
		id   CloneID
		edit func([]Entry[string]) []Entry[string]
		says string
	}{
		"another's":    {other, nil, "another clone's key"},
		"no manifest":  {id, func(l []Entry[string]) []Entry[string] { return l[:2] }, "no manifest"},
		"edited":       {id, func(l []Entry[string]) []Entry[string] { l[0].Blob = "# Dax\n"; return l }, "not as it was signed"},
		"grown":        {id, func(l []Entry[string]) []Entry[string] { l[0].Size++; return l }, "not as it was signed"},
		"gone":         {id, func(l []Entry[string]) []Entry[string] { return l[1:] }, "not as it was signed"},
		"more":         {id, func(l []Entry[string]) []Entry[string] { return append(l, Entry[string]{Name: "2026-11-23.md"}) }, "not in its manifest"},
		"odd name":     {id, func(l []Entry[string]) []Entry[string] { return append(l, Entry[string]{Name: "../x.md"}) }, "no file of a memory"},
		"a link":       {id, func(l []Entry[string]) []Entry[string] { l[0].Odd = "a symbolic link"; return l }, "is a symbolic link"},
		"enormous":     {id, func(l []Entry[string]) []Entry[string] { l[0].Size = 1 << 40; return l }, "MB, more than"},
		"big manifest": {id, func(l []Entry[string]) []Entry[string] { l[2].Size = 1<<20 + 1; return l }, "its manifest has"},
		"many":         {id, many, "files, more than"},
		"resigned": {id, func(l []Entry[string]) []Entry[string] {
			l[2].Blob = strings.Replace(l[2].Blob, "Ada", "Eve", 1)
			return l
		}, "signature is wrong"},
	} {
		_, list := folder(k, 3, map[string]string{"MEMORY.md": "# Memory\n", "2026-11-22.md": "# Day\n"})
		if c.edit != nil {
			list = c.edit(list)
		}
		if _, err := Check(c.id, list, readString); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func many(l []Entry[string]) []Entry[string] {
	for i := range MaxFiles {
		l = append(l, Entry[string]{Name: fmt.Sprintf("n%d.md", i)})
	}
	return l
}

func TestNewerManifest(t *testing.T) {
	if _, err := ReadManifest([]byte("agentflow-share 2\nwhatever\n")); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
}

func TestLater(t *testing.T) {
	k := key(t)
	take := func(n uint64) Folder[string] {
		id, list := folder(k, n, nil)
		f, err := Check(id, list, readString)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one, two := take(1), take(2)
	if f, later := Later(one, two); !later || f.Sequence != 2 {
		t.Error("2 does not follow 1")
	}
	if f, later := Later(two, one); later || f.Sequence != 2 {
		t.Error("1 follows 2")
	}
	if f, later := Later(Folder[string]{}, one); !later || f.Sequence != 1 {
		t.Error("nothing is later than something")
	}
}

func TestProject(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	e := memory.Entry{ID: "0199aaaa-0000-7000-8000-000000000001", Kind: memory.KindRun, Time: at, Title: "Mend", Task: "Mend", Summary: "Mended.",
		Facts: []memory.Fact{{ID: "0199aaaa-0000-7000-8000-000000000002", Text: "The pump leaks."},
			{ID: "0199aaaa-0000-7000-8000-000000000003", Text: "Only here.", Namespace: "branch/x"}}}
	day := "# 2026-11-22\n\nA line of mine.\n\n" + string(markdown.Format(e))
	for what, c := range map[What]struct{ has, not []string }{
		Facts:   {[]string{"The pump leaks.", "source=" + e.ID}, []string{"Mended.", "A line of mine", "Only here"}},
		Entries: {[]string{"The pump leaks.", "Mended."}, []string{"A line of mine", "Only here"}},
		All:     {[]string{"The pump leaks.", "Mended.", "A line of mine"}, []string{"Only here"}},
	} {
		got := string(Project("2026-11-22.md", []byte(day), what, Repositorys, V1))
		for _, s := range c.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s lacks %q:\n%s", what, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%s has %q:\n%s", what, s, got)
			}
		}
	}
	if got := Project(memory.FeedbackFile, []byte("- x\n"), All, Repositorys, V1); got != nil {
		t.Errorf("feedback: %s", got)
	}
	if got := Project("notes/a.md", []byte("x\n"), Entries, Repositorys, V1); got != nil {
		t.Errorf("notes: %s", got)
	}
}

// TestNamespaces: which namespaces leave a repository's memory, and which the user's own.
func TestNamespaces(t *testing.T) {
	for ns, leaves := range map[string][2]bool{"": {true, true}, "project": {true, true}, "team": {true, false}, "global": {false, true}, "branch/x": {false, false}, "run/1": {false, false}} {
		text := []byte("# Facts\n\n" + markdown.FormatFact(memory.Fact{ID: "0199aaaa-0000-7000-8000-000000000002", Text: "The pump leaks.", Namespace: ns}))
		for i, whose := range []Whose{Repositorys, Own} {
			for _, what := range []What{Facts, Entries, All} {
				if got := strings.Contains(string(Project("MEMORY.md", text, what, whose, V1)), "pump"); got != leaves[i] {
					t.Errorf("%q of %v leaves with %s: %v", ns, whose, what, got)
				}
			}
		}
	}
}

func TestForgotten(t *testing.T) {
	ids := []string{"0199aaaa-0000-7000-8000-000000000002", "0199aaaa-0000-7000-8000-000000000001", "0199aaaa-0000-7000-8000-000000000002"}
	if got := ReadForgotten(Forgotten(ids, nil)); len(got) != 2 || got[0] != ids[1] {
		t.Error(got)
	}
	if got := ReadForgotten([]byte("../../x\n\n")); got != nil {
		t.Error(got)
	}
}

// FuzzManifest: a manifest that is read is one that its key signed, byte by byte.
func FuzzManifest(f *testing.F) {
	k := key(f)
	_, list := folder(k, 3, map[string]string{"MEMORY.md": "# Memory\n"})
	f.Add([]byte(list[1].Blob))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := ReadManifest(src)
		if err != nil {
			return
		}
		if public(k).Equal(m.Key) && string(m.Sign(k)) != string(src) {
			t.Errorf("%q is read", src)
		}
	})
}
