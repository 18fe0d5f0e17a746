package gitindex

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

// monitored is a repository with an index in which git itself wrote the extension.
func monitored(t testing.TB, files int) *gittest.Repo {
	f := gittest.New(t)
	for i := range files {
		f.Write(fmt.Sprintf("d%d/f%d", i/50, i), "x\n")
	}
	f.Git("add", "-A")
	f.Git("commit", "-qm", "base")
	f.Write(".git/monitor", `printf 'builtin:1.2.3:4\0/\0'`)
	f.Git("config", "core.fsmonitor", "sh .git/monitor")
	f.Git("update-index", "--fsmonitor")
	f.Git("status")
	return f
}

func readMonitored(t testing.TB, f *gittest.Repo) *Monitored {
	raw, err := os.ReadFile(f.Path(".git/index"))
	gittest.Must(t, err)
	x, err := Parse(raw, git.SHA1)
	gittest.Must(t, err)
	return x.Monitored()
}

// TestMonitored compares with what git lists: 'git ls-files -f' has a small letter for an
// entry that the monitor knows to be unchanged.
func TestMonitored(t *testing.T) {
	f := monitored(t, 700)
	f.Git("config", "core.fsmonitor", "sh .git/quiet")
	f.Write(".git/quiet", `printf 'builtin:1.2.3:4\0'`)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		args := []string{"update-index", []string{"--fsmonitor-valid", "--no-fsmonitor-valid"}[rnd.IntN(2)], "--"}
		from, n := rnd.IntN(700), 1+rnd.IntN(400)
		for i := from; i < min(700, from+n); i++ {
			args = append(args, fmt.Sprintf("d%d/f%d", i/50, i))
		}
		f.Git(args...)
		m := readMonitored(t, f)
		if m == nil || m.Token != "builtin:1.2.3:4" {
			t.Fatalf("it holds %+v", m)
		}
		for i, line := range strings.Split(strings.TrimSpace(f.Git("ls-files", "-f")), "\n") {
			if known := line[0] == 'h'; m.Clean(i) != known {
				t.Fatalf("entry %d, %q: %v", i, line, m.Clean(i))
			}
		}
	}
}

// TestMonitoredMoved checks which entries a path covers: itself and everything below it, and no
// other name with the same beginning.
func TestMonitoredMoved(t *testing.T) {
	f := gittest.New(t)
	names := []string{"a", "a.b", "a0", "b-/x", "b/c/d", "b/c/e", "b/c0", "b/cc/f", "b0"}
	for _, name := range names {
		f.Git("update-index", "--add", "--cacheinfo", "100644,"+strings.Repeat("1", 40)+","+name)
	}
	raw, err := os.ReadFile(f.Path(".git/index"))
	gittest.Must(t, err)
	x, err := Parse(raw, git.SHA1)
	gittest.Must(t, err)
	for path, want := range map[string]string{"a": "a", "b/c": "b/c/d b/c/e", "b/c/": "b/c/d b/c/e", "b": "b/c/d b/c/e b/c0 b/cc/f", "c": "", "b0": "b0", "b/c/e": "b/c/e"} {
		m := &Monitored{dirty: make([]uint64, 1), of: x}
		m.Moved(path)
		var got []string
		for i, name := range names {
			if !m.Clean(i) {
				got = append(got, name)
			}
		}
		gittest.Want(t, path, strings.Join(got, " "), want)
	}
}

// FuzzMonitored checks that any extension is read within its bounds, and refers to no entry that
// does not exist.
func FuzzMonitored(f *testing.F) {
	m := monitored(f, 130)
	raw, err := os.ReadFile(m.Path(".git/index"))
	gittest.Must(f, err)
	x, err := Parse(raw, git.SHA1)
	gittest.Must(f, err)
	f.Add(x.monitor)
	f.Add(bitmap(130, 1<<33|1<<1|1, ^uint64(0)))
	f.Add(bitmap(130, 1<<40|1<<20))
	f.Fuzz(func(t *testing.T, ext []byte) {
		y := &Index{Entries: x.Entries, extensions: extensions{monitor: ext}}
		m := y.Monitored()
		if m == nil {
			return
		}
		if n := (len(y.Entries) + 63) / 64; len(m.dirty) != n {
			t.Fatalf("%d words, not %d", len(m.dirty), n)
		}
		for i := range y.Entries {
			m.Clean(i)
		}
		m.Moved("d0")
		if m.Clean(0) || m.Clean(49) {
			t.Fatal("what moved is not marked")
		}
	})
}

// bitmap is an extension with a bitmap of n bits.
func bitmap(n uint32, words ...uint64) []byte {
	body := binary.BigEndian.AppendUint32(nil, n)
	body = binary.BigEndian.AppendUint32(body, uint32(len(words)))
	for _, w := range words {
		body = binary.BigEndian.AppendUint64(body, w)
	}
	body = append(body, 0, 0, 0, 0)
	ext := append(binary.BigEndian.AppendUint32(nil, 2), "builtin:1:1\x00"...)
	return append(binary.BigEndian.AppendUint32(ext, uint32(len(body))), body...)
}
