//go:build unix

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// history describes the objects of a repository besides the commit that is
// checked out.
type history struct {
	name string
	n    int
}

// parseHistory parses "packed=1000000"; an empty text means no history.
func parseHistory(text string) (h history, err error) {
	name, number, counted := strings.Cut(text, "=")
	h.name = name
	if counted {
		h.n, err = strconv.Atoi(number)
	}
	if err == nil && histories[name] == nil {
		err = fmt.Errorf("no history is called %q", name)
	}
	return h, err
}

// histories maps a name to the function that adds this history to a tree; n is
// its size.
var histories = map[string]func(t tree, n int) error{
	"": func(tree, int) error { return nil },
	// One pack with n more objects than HEAD's.
	"packed": func(t tree, n int) error {
		return cmp.Or(t.importBlobs(n, "0", 0), t.git("-c", "pack.window=0", "repack", "-adkq"))
	},
	// n packs, HEAD's among them.
	"packs": tree.importPacks,
	// The same under a multi-pack-index.
	"midx": func(t tree, n int) error {
		return cmp.Or(t.importPacks(n), t.git("multi-pack-index", "write"))
	},
	// n loose objects.
	"loose": func(t tree, n int) error { return t.importBlobs(n, "1000000000", 0) },
	// All objects are in another repository.
	"alternates": func(t tree, _ int) error {
		objects := filepath.Join(t.dir, ".git", "objects")
		info := filepath.Join(objects, "info")
		return cmp.Or(os.Rename(objects, t.dir+".objects"), os.MkdirAll(info, 0o755),
			os.WriteFile(filepath.Join(info, "alternates"), []byte(t.dir+".objects\n"), 0o644))
	},
	// Blobs are fetched when they are checked out.
	"partial": func(t tree, _ int) error {
		from := tree{dir: t.dir + ".from"}
		return cmp.Or(os.Rename(t.dir, from.dir), from.git("config", "uploadpack.allowFilter", "true"),
			from.git("clone", "-q", "--no-local", "--filter=blob:none", from.dir, t.dir), t.age())
	},
	// n commits, in a commit-graph.
	"commit-graph": func(t tree, n int) error {
		return cmp.Or(t.importCommits(n), t.git("reset", "-q", "--soft", "past"), t.git("tag", "-f", "base"), t.git("gc", "-q"),
			t.git("commit-graph", "write", "--reachable"))
	},
}

// importBlobs creates n blobs with consecutive numbers, in a separate pack, or
// as loose objects if there are at most unpackLimit.
func (t tree) importBlobs(n int, unpackLimit string, from int) error {
	return t.fastImport(unpackLimit, func(w *bufio.Writer) {
		for i := range n {
			text := fmt.Sprintf("blob %d\n", from+i)
			fmt.Fprintf(w, "blob\ndata %d\n%s\n", len(text), text)
		}
	})
}

func (t tree) importPacks(n int) (err error) {
	for i := range n {
		err = cmp.Or(err, t.importBlobs(1000, "0", 1000*i))
	}
	return err
}

// importCommits creates a branch "past" of n commits on top of HEAD that change
// nothing.
func (t tree) importCommits(n int) error {
	return t.fastImport("0", func(w *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(w, "commit refs/heads/past\ncommitter A <a@example.org> %d +0000\ndata 5\nempty\n", 1_700_000_000+i)
			if i == 0 {
				fmt.Fprintf(w, "from refs/heads/main^0\n")
			}
			fmt.Fprintln(w)
		}
	})
}

func (t tree) fastImport(unpackLimit string, write func(*bufio.Writer)) error {
	cmd := exec.CommandContext(ctx, "git", "-c", "fastimport.unpackLimit="+unpackLimit, "fast-import", "--quiet", "--depth=0")
	cmd.Dir, cmd.Stderr = t.dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	write(w)
	return cmp.Or(w.Flush(), in.Close(), cmd.Wait())
}
