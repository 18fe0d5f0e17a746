package exchange

import (
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// feed runs git with a standard input.
func feed(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// entry is an entry of a tree that git would not write.
type entry struct{ mode, name, id string }

const (
	treeMode = "40000"
	fileMode = "100644"
)

// tree writes a tree of any entries.
func (m *member) tree(entries ...entry) string {
	var b strings.Builder
	for _, e := range entries {
		id, err := hex.DecodeString(e.id)
		must(m.team, err)
		fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.name, id)
	}
	return feed(m.team, m.dir, b.String(), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
}

func (m *member) blob(text string) string {
	return feed(m.team, m.dir, text, "hash-object", "-w", "--stdin")
}

// put puts the remote's ref at an object.
func (m *member) put(id string) {
	git(m.team, m.dir, "-c", "pack.useSparse=false", "push", "-q", "--force", "origin", id+":"+Ref)
}

func (m *member) commit(tree string) string {
	return git(m.team, m.dir, "commit-tree", "-m", "x", tree)
}

// putFolder adds a folder to the remote.
func (m *member) putFolder(name, tree string) {
	git(m.team, m.dir, "fetch", "-q", "origin", "+"+Ref+":refs/evil")
	clones := []entry{{treeMode, name, tree}}
	for line := range strings.Lines(git(m.team, m.dir, "ls-tree", "refs/evil:clones")) {
		if words := strings.Fields(line); words[3] != name {
			clones = append(clones, entry{treeMode, words[3], words[2]})
		}
	}
	slices.SortFunc(clones, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	m.put(git(m.team, m.dir, "commit-tree", "-p", "refs/evil", "-m", "x", m.tree(entry{treeMode, folder, m.tree(clones...)})))
}

// signed makes a tree of files with a manifest of the clone that lists them.
func (m *member) signed(files ...string) string {
	key, err := m.keyring().key(m.team.Context())
	must(m.team, err)
	o, list := own{}, []entry{}
	for _, name := range files {
		text := "# " + name + "\n"
		o.files = append(o.files, share.FileOf(name, []byte(text)))
		top, below, nested := strings.Cut(name, "/")
		if nested {
			list = append(list, entry{treeMode, top, m.tree(entry{fileMode, below, m.blob(text)})})
		} else {
			list = append(list, entry{fileMode, name, m.blob(text)})
		}
	}
	list = append(list, entry{fileMode, share.ManifestFile, m.blob(string(m.manifest(m.team.Context(), o, key, 99, 0, m.Now())))})
	return m.tree(list...)
}

// TestOddTips: if the remote's ref is moved anywhere, the next exchanges restore the accepted
// state, and later ones do nothing.
func TestOddTips(t *testing.T) {
	w := newTeam(t)
	a, b, eve := w.join("Ada"), w.join("Bob"), w.join("Eve")
	ids := []string{a.add(1, "One"), b.add(1, "Two")}
	a.sync(Options{})
	b.sync(Options{})
	git(t, eve.dir, "fetch", "-q", "origin", Ref)
	good, blob, empty := git(t, eve.dir, "rev-parse", "FETCH_HEAD:clones"), eve.blob("x"), eve.tree()
	many := make([]entry, 50_000)
	for i := range many {
		many[i] = entry{fileMode, fmt.Sprintf("%040d", i), blob}
	}
	first := strings.Fields(git(t, eve.dir, "ls-tree", good))
	for name, put := range map[string]func() string{
		"a blob":            func() string { return blob },
		"a tree":            func() string { return eve.tree(entry{treeMode, folder, good}) },
		"a tag":             func() string { return tag(eve, git(t, eve.dir, "rev-parse", "FETCH_HEAD")) },
		"a tag of a blob":   func() string { return tag(eve, blob) },
		"an empty commit":   func() string { return eve.commit(empty) },
		"a link for clones": func() string { return eve.commit(eve.tree(entry{"120000", folder, blob})) },
		"two folders clones": func() string {
			return eve.commit(eve.tree(entry{treeMode, folder, good}, entry{treeMode, folder, empty}))
		},
		"two folders of a clone": func() string {
			return eve.commit(eve.tree(entry{treeMode, folder, eve.tree(entry{treeMode, first[3], first[2]}, entry{treeMode, first[3], empty})}))
		},
		"too many clones":      func() string { return eve.commit(eve.tree(entry{treeMode, folder, eve.tree(many...)})) },
		"too many other files": func() string { return eve.commit(eve.tree(append(many, entry{treeMode, folder, good})...)) },
	} {
		eve.put(put())
		ids = append(ids, a.add(2, name))
		for _, m := range []*member{a, b, a} {
			m.sync(Options{})
		}
		for _, m := range []*member{a, b} {
			if got := m.sees(); !slices.Equal(got, ids) {
				t.Errorf("%s: %s sees %v", name, m.name, got)
			}
			if r := m.sync(Options{}); r.Pushed || len(r.Healed) > 0 {
				t.Errorf("%s: %s does not rest: %+v", name, m.name, r)
			}
		}
	}
}

func tag(m *member, id string) string {
	git(m.team, m.dir, "tag", "-f", "-a", "-m", "x", "odd", id)
	return git(m.team, m.dir, "rev-parse", "odd")
}

// TestOddFolders: an invalid folder does not exclude others, and is reported once. Its content
// is read only up to the limit.
func TestOddFolders(t *testing.T) {
	w := newTeam(t)
	git(t, w.remote, "config", "pack.useSparse", "false") // or some of them are fetched after minutes
	a, b, eve := w.join("Ada"), w.join("Bob"), w.join("Eve")
	one := a.add(1, "One")
	a.sync(Options{})
	must(t, os.MkdirAll(eve.State, 0o700))
	key, err := eve.keyring().key(t.Context())
	must(t, err)
	id := string(share.IDOf(key.Public().(ed25519.PublicKey)))
	bomb := func(mode, leaf string) string {
		for range 12 {
			list := make([]entry, 10)
			for i := range list {
				list[i] = entry{mode, fmt.Sprint("d", i), leaf}
			}
			mode, leaf = treeMode, eve.tree(list...)
		}
		return leaf
	}
	mode, deep := fileMode, eve.blob("x")
	for range 220 {
		mode, deep = treeMode, eve.tree(entry{mode, strings.Repeat("d", 200), deep})
	}
	blob := eve.blob("x")
	for name, c := range map[string]struct{ tree, why string }{
		"links to commits":         {bomb("160000", strings.Repeat("1", 40)), "more than 4 MiB"},
		"empty folders":            {bomb(treeMode, eve.tree()), "more than 4 MiB"},
		"deep folders":             {deep, "more than 4 MiB"},
		"a file and a folder":      {eve.signed("a.md", "a.md/b.md"), "a file and a folder"},
		"one in upper case":        {eve.signed("A.md", "a.md/b.md"), "a file and a folder"},
		"a name twice":             {eve.tree(entry{fileMode, "a.md", blob}, entry{fileMode, "a.md", eve.blob("y")}), "twice"},
		"a name of a megabyte":     {eve.tree(entry{fileMode, strings.Repeat("x", 5<<20), blob}), "more than 4 MiB"},
		"a folder that has a path": {eve.tree(entry{fileMode, "../../x.md", blob}), "no file of a memory"},
	} {
		eve.putFolder(id, c.tree)
		r := a.sync(Options{})
		if len(r.Refused) != 1 || !strings.Contains(r.Refused[0].Why, c.why) || !r.Refused[0].New {
			t.Errorf("%s: %+v", name, r.Refused)
		}
		a.add(2, name)
		if r = a.sync(Options{}); !r.Pushed || len(r.Refused) != 1 || r.Refused[0].New {
			t.Errorf("%s is not known: %+v", name, r)
		}
		if list, err := a.Refused(); err != nil || len(list) != 1 || !strings.Contains(list[0].Why, c.why) {
			t.Errorf("%s: %v %v", name, list, err)
		}
		b.sync(Options{})
		if got := b.sees(); !slices.Contains(got, one) || !slices.Equal(got, a.sees()) {
			t.Errorf("%s: Bob sees %v", name, got)
		}
	}
}

// TestOddNames: entries other than folders of clones are reported. New folders count up to a
// limit, and known ones always. Other names are kept up to a limit.
func TestOddNames(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("%032x", n) }
	old := share.CloneID(id(9999))
	st := &state{Accepted: map[share.CloneID]known{old: {Tree: "old"}}}
	items := []memref.Item{{Name: "README", Kind: "tree"}, {Name: id(9998), Kind: "blob"}}
	for i := range share.MaxClones + 2*maxOdd {
		items = append(items, memref.Item{Name: id(i), Kind: "tree"})
	}
	items = append(items, memref.Item{Name: string(old), Kind: "tree", ID: "new"})
	tip := tip{folders: map[share.CloneID]string{}, refused: map[share.CloneID]refusal{}}
	tip.take(items, st)
	if len(tip.folders) != share.MaxClones+1 || tip.folders[old] != "new" || len(tip.refused) != maxOdd {
		t.Errorf("%d folders, the known one at %q, %d refused", len(tip.folders), tip.folders[old], len(tip.refused))
	}
	for name, why := range map[string]string{"README": "it is no folder of a clone", id(9998): "it is no folder of a clone", id(share.MaxClones): "there are more than 2000"} {
		if got := tip.refused[share.CloneID(name)].Why; got != why {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestUnwritable: a folder that cannot be written here keeps out no other, and is tried again.
func TestUnwritable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the length of a path is that of Linux")
	}
	w := newTeam(t)
	a, b, eve := w.join("Ada"), w.join("Bob"), w.join("Eve")
	one := b.add(1, "One")
	b.sync(Options{})
	eve.What = share.All
	must(t, os.MkdirAll(eve.Memory, 0o700))
	must(t, os.WriteFile(filepath.Join(eve.Memory, strings.Repeat("y", 190)+".md"), []byte("# Long\n"), 0o600))
	ide := eve.sync(Options{}).ID
	short := a.Mirror
	for len(a.Mirror) < 3900 {
		a.Mirror = filepath.Join(a.Mirror, strings.Repeat("x", min(200, 3900-len(a.Mirror))))
	}
	for range 2 {
		r := a.sync(Options{})
		if len(r.Refused) != 1 || r.Refused[0].ID != ide || !strings.Contains(r.Refused[0].Why, "cannot be written here") || !slices.Equal(a.sees(), []string{one}) {
			t.Errorf("%+v, Ada sees %v", r, a.sees())
		}
	}
	a.Mirror = short
	if r := a.sync(Options{}); len(r.Refused) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestLockFiles: a lock file that a killed git left is removed in AgentFlow's repositories. In
// others it is reported, and an exchange does not blame another clone.
func TestLockFiles(t *testing.T) {
	w := newTeam(t)
	a := w.join("Ada")
	a.sync(Options{})
	for i, ref := range []string{fetchedRef, mineRef, acceptedRef} {
		a.lock(ref + ".lock")
		a.add(1+i, ref)
		if r := a.sync(Options{}); !r.Pushed {
			t.Errorf("%s: %+v", ref, r)
		}
	}
	git(t, a.dir, "config", "core.packedRefsTimeout", "0")
	path := a.lock("packed-refs.lock")
	a.add(5, "Five")
	if _, err := a.Exchange(t.Context(), Options{}); !errors.Is(err, memref.ErrLocked) || errors.Is(err, memref.ErrFaster) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	must(t, os.Remove(path))
	if r := a.sync(Options{}); len(r.Refused) > 0 {
		t.Errorf("%+v", r)
	}
	fresh := a.lock(mineRef + ".lock")
	must(t, os.Chtimes(fresh, time.Now(), time.Now())) // a git that is at work may hold it
	a.add(6, "Six")
	if _, err := a.Exchange(t.Context(), Options{}); !errors.Is(err, memref.ErrLocked) || !strings.Contains(err.Error(), fresh) {
		t.Errorf("with a fresh lock: %v", err)
	}
}

// lock makes a lock file of yesterday in the git directory.
func (m *member) lock(name string) string {
	path := filepath.Join(m.dir, ".git", filepath.FromSlash(name))
	must(m.team, os.MkdirAll(filepath.Dir(path), 0o700))
	must(m.team, os.WriteFile(path, nil, 0o600))
	yesterday := m.Now().AddDate(0, 0, -1)
	must(m.team, os.Chtimes(path, yesterday, yesterday))
	return path
}

// TestSymbolicRef: memory is not pushed to the branch that the remote's ref is another name
// of.
func TestSymbolicRef(t *testing.T) {
	w := newTeam(t)
	a := w.join("Ada")
	git(t, a.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
	main := git(t, w.remote, "rev-parse", "main")
	git(t, w.remote, "symbolic-ref", Ref, "refs/heads/main")
	a.add(1, "One")
	if _, err := a.Exchange(t.Context(), Options{}); !errors.Is(err, memref.ErrLink) || !strings.Contains(err.Error(), "refs/heads/main") {
		t.Error(err)
	}
	if got := git(t, w.remote, "rev-parse", "main"); got != main {
		t.Errorf("main is at %s", got)
	}
	git(t, w.remote, "symbolic-ref", "--delete", Ref)
	if r := a.sync(Options{}); !r.Pushed {
		t.Errorf("%+v", r)
	}
}
