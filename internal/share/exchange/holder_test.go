package exchange

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/internal/share"
)

// TestHolders: a clone keeps its key if its file is moved, restored from a backup, or found
// under another name of the machine. Of a clone and its copies only the first one has it, and a
// copy keeps the former key.
func TestHolders(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, dir string) (a, b string) // where clones are then; b may be ""
		same bool                                         // the clone at a has the key
	}{
		{"nothing", func(t *testing.T, dir string) (string, string) { return dir, "" }, true},
		{"renamed host", func(t *testing.T, dir string) (string, string) {
			renameHost(t, dir)
			return dir, ""
		}, true},
		{"moved", func(t *testing.T, dir string) (string, string) {
			must(t, os.Rename(dir, dir+"-moved"))
			return dir + "-moved", ""
		}, true},
		{"backup put back", func(t *testing.T, dir string) (string, string) {
			copyOf(t, dir, dir+"-copy")
			must(t, os.RemoveAll(dir))
			must(t, os.Rename(dir+"-copy", dir))
			return dir, ""
		}, true},
		{"backup used where it is", func(t *testing.T, dir string) (string, string) {
			copyOf(t, dir, dir+"-copy")
			must(t, os.RemoveAll(dir))
			return dir + "-copy", ""
		}, true},
		{"copied, the copy first", func(t *testing.T, dir string) (string, string) {
			copyOf(t, dir, dir+"-copy")
			return dir + "-copy", dir
		}, false},
		{"moved, and copied back to its place", func(t *testing.T, dir string) (string, string) {
			must(t, os.Rename(dir, dir+"-moved"))
			copyOf(t, dir+"-moved", dir)
			return dir, dir + "-moved"
		}, true},
		{"home and all on another machine", func(t *testing.T, dir string) (string, string) {
			copyOf(t, dir, dir+"-copy")
			must(t, os.RemoveAll(dir))
			must(t, os.Rename(dir+"-copy", dir))
			renameHost(t, dir)
			return dir, ""
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "clone")
			must(t, os.MkdirAll(dir, 0o700))
			id := func(dir string) (share.CloneID, [][]byte) {
				key, err := (&Clone{State: dir, Holders: filepath.Join(filepath.Dir(dir), "holders"), Now: time.Now}).keyring().key(t.Context())
				must(t, err)
				k, err := readClone(filepath.Join(dir, "clone"))
				must(t, err)
				if !bytes.Equal(k.private(), key) {
					t.Error("the file has another key")
				}
				return k.id(), k.Former
			}
			first, _ := id(dir)
			a, b := c.do(t, dir)
			now, former := id(a)
			if (now == first) != c.same || !c.same && len(former) != 1 {
				t.Errorf("it has the key: %v, %d former ones", now == first, len(former))
			}
			if again, _ := id(a); again != now {
				t.Error("it takes another key each time")
			}
			if b == "" {
				return
			}
			if other, _ := id(b); other == now || (other == first) == c.same {
				t.Errorf("both, or none, have the key: %s, %s, first %s", now, other, first)
			}
		})
	}
}

// renameHost changes the host in the records of a clone.
func renameHost(t *testing.T, dir string) {
	t.Helper()
	host, err := os.Hostname()
	must(t, err)
	notes, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "holders", "*"))
	must(t, err)
	for _, path := range append(notes, filepath.Join(dir, "clone")) {
		if info, err := os.Stat(path); err != nil || filepath.Base(path) == "lock" || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		must(t, err)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		must(t, err)
		_, err = f.Write(bytes.ReplaceAll(text, []byte(`"host":"`+host+`"`), []byte(`"host":"elsewhere"`)))
		must(t, err)
		must(t, f.Close())
	}
}

func copyOf(t *testing.T, from, to string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
}
