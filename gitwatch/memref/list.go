package memref

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Object is an object that a name leads to. Both fields are empty if it leads to none.
type Object struct{ ID, Kind string }

// Look finds the objects that names lead to, such as REF^{commit} or TREE:PATH. No name may hold a
// line end.
func (r Repo) Look(ctx context.Context, names ...string) ([]Object, error) {
	found := make([]Object, len(names))
	out, err := r.ask(ctx, []byte(strings.Join(names, "\n")+"\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	for i, line := range strings.Split(out, "\n") {
		id, kind, _ := strings.Cut(line, " ")
		if i < len(found) && slices.Contains([]string{"blob", "tree", "commit", "tag"}, kind) {
			found[i] = Object{id, kind}
		}
	}
	return found, err
}

// Item is an entry of a tree.
type Item struct {
	Name string // below the tree, '/' separated
	Mode string // as git writes it: "100644" is a file
	Kind string // blob, tree or commit
	ID   string
	Size int64 // of a blob, in bytes
}

// ErrTooLong means that the list of a tree has more than 4 MiB, which takes 20,000 entries or
// very long names. A tree of a few kilobytes can have billions of entries.
var ErrTooLong = errors.New("it has too many entries or too long names: their list has more than 4 MiB")

const maxListing = 4 << 20

// List lists a tree. If whole is true, it lists everything below its folders, and leaves out the
// folders themselves. It reads no more than the bound of ErrTooLong.
func (r Repo) List(ctx context.Context, tree string, whole bool) (items []Item, err error) {
	args := []string{"ls-tree", "-z", "--long", "--full-tree"}
	if whole {
		args = append(args, "-r", "-t") // with the folders, so that the bound counts empty ones too
	}
	err = git.Stream(ctx, r.Dir, nil, func(out io.Reader) error {
		rest := &io.LimitedReader{R: out, N: maxListing}
		lines := bufio.NewScanner(rest)
		lines.Buffer(nil, maxListing)
		lines.Split(byNUL)
		for lines.Scan() {
			i, err := itemOf(lines.Text())
			if err != nil {
				return err
			}
			if !whole || i.Kind != "tree" {
				items = append(items, i)
			}
		}
		if rest.N == 0 {
			return ErrTooLong
		}
		return lines.Err()
	}, append(args, tree)...)
	return items, err
}

// byNUL splits a text at each NUL. It drops a last piece without one, because git was stopped.
func byNUL(data []byte, _ bool) (advance int, token []byte, err error) {
	end := bytes.IndexByte(data, 0)
	if end < 0 {
		return 0, nil, nil
	}
	return end + 1, data[:end], nil
}

// itemOf reads a line of git ls-tree --long.
func itemOf(line string) (i Item, err error) {
	head, name, ok := strings.Cut(line, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 4 {
		return i, fmt.Errorf("git ls-tree wrote %q", line)
	}
	i = Item{Name: name, Mode: words[0], Kind: words[1], ID: words[2]}
	if i.Kind == "blob" {
		if i.Size, err = strconv.ParseInt(words[3], 10, 64); err != nil {
			return i, fmt.Errorf("git ls-tree wrote %q", line)
		}
	}
	return i, nil
}
