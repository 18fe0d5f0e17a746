package scan

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/ctime"
	"agentflow/internal/testing/gittest"
)

// TestYoungIsNotRemembered holds that what may change within the same tick of
// the clock is not believed the second time.
func TestYoungIsNotRemembered(t *testing.T) {
	f := gittest.New(t)
	f.Commit("base", "dir/b.txt", "b\n")
	f.Write("new/x", "x\n")
	p, err := repo.Find(t.Context(), f.Dir)
	gittest.Must(t, err)
	w := New(p)
	changed := func() time.Time {
		info, err := os.Lstat(f.Path("new/x"))
		gittest.Must(t, err)
		at, _ := ctime.Of(info)
		return at
	}
	for _, age := range []time.Duration{-time.Hour, 0, clockGranule / 2, time.Hour} {
		w.Clock = func() time.Time { return changed().Add(age) }
		o := objects.Open(t.Context(), p)
		_, head, err := o.Store.Head()
		gittest.Must(t, err)
		tree, err := o.TreeOf(head)
		gittest.Must(t, err)
		_, err = w.Scan(t.Context(), o, tree, nil)
		gittest.Must(t, err)
		k := w.lastLook()
		_, folder := k.folders["new/"]
		_, content := k.files["new/x"]
		if old := age > clockGranule; folder != old && keepsTimes(f.Dir) || content != old {
			t.Errorf("at an age of %v: folder %v, file %v", age, folder, content)
		}
	}
}

// TestFoldersByPath looks at a work tree as systems do that cannot look at
// names relative to an open folder.
func TestFoldersByPath(t *testing.T) {
	f := gittest.New(t)
	for _, name := range []string{"edited.txt", "new/x", "new/deep/x.log", "new/deep/y", "other/x", ".gitignore"} {
		f.Write(name, "x\n")
	}
	gittest.Must(t, os.Symlink("new", f.Path("way")))
	w := workDir{root: f.Dir, dirs: &realDirs{top: f.Dir, checked: map[string]bool{"": true}}}
	gittest.Must(t, w.begin())
	defer w.end()
	for _, folder := range []string{"", "new/", "new/deep/", "way/", "way/deep/", "edited.txt/", "none/"} {
		seen := func(open func(string) (*openDir, error)) string {
			d, err := open(folder)
			if err != nil {
				return err.Error()
			}
			defer d.close()
			var names []string
			gittest.Must(t, d.list(func(n dirName) {
				st, err := d.stat(string(n.name))
				names = append(names, fmt.Sprintf("%s %d %+v %v", n.name, n.kind, st, err))
			}))
			st, err := d.stat("")
			gone, _ := d.stat("gone")
			return fmt.Sprintf("%+v %v %+v\n%s", st, err, gone, strings.Join(slices.Sorted(slices.Values(names)), "\n"))
		}
		gittest.Want(t, folder, seen(w.open), seen(w.openByPath))
	}
}
