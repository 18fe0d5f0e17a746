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
	"time"

	"agentflow/gitwatch/internal/git"
)

// Item is what a tree holds.
type Item struct {
	Name string // below the tree, '/' separated
	Mode string // as git writes it: "100644" is a file
	Kind string // blob, tree or commit
	ID   string
	Size int64 // of a blob, in bytes
}

// List lists what a tree, or a commit's, holds at a path: whole says whether with all that
// is below. No such folder is an empty list.
func (r Repo) List(ctx context.Context, tree, path string, whole bool) (items []Item, err error) {
	args := []string{"ls-tree", "-z", "--long", "--full-tree"}
	if whole {
		args = append(args, "-r")
	}
	at := tree + ":" + path
	switch kind, err := r.ask(ctx, nil, "cat-file", "-t", at); {
	case err != nil && !git.Exited(err, 1) && !git.Exited(err, 128):
		return nil, err
	case kind != "tree" && kind != "commit":
		return nil, nil
	}
	out, err := r.ask(ctx, nil, append(args, at)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if line == "" {
			continue
		}
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 {
			return nil, fmt.Errorf("git ls-tree wrote %q", line)
		}
		i := Item{Name: name, Mode: words[0], Kind: words[1], ID: words[2]}
		if i.Kind == "blob" {
			if i.Size, err = strconv.ParseInt(words[3], 10, 64); err != nil {
				return nil, fmt.Errorf("git ls-tree wrote %q", line)
			}
		}
		items = append(items, i)
	}
	return items, nil
}

// Blobs reads blobs, in any order and each once, and gives them to f.
func (r Repo) Blobs(ctx context.Context, ids []string, f func(id string, data []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return git.Stream(ctx, r.Dir, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewReader(out)
		for range ids {
			head, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			words := strings.Fields(head)
			if len(words) != 3 || words[1] != "blob" {
				return fmt.Errorf("git cat-file wrote %q", head)
			}
			n, err := strconv.Atoi(words[2])
			if err != nil {
				return err
			}
			data := make([]byte, n+1)
			if _, err := io.ReadFull(in, data); err != nil {
				return err
			}
			if err := f(words[0], data[:n]); err != nil {
				return err
			}
		}
		return nil
	}, "cat-file", "--batch")
}

// Commit is one to be written.
type Commit struct {
	Parent  string // empty: none, and the tree begins empty, or as Tree
	Tree    string // of a commit without a parent; empty: none
	Message string
	Time    time.Time
	Trees   map[string]string // paths to ids of trees that are put there
	Remove  []string          // paths, afterwards
	Files   map[string][]byte // paths to contents, afterwards
}

// who made commits: the manifests in them say and sign whose they are.
const who = "agentflow <agentflow>"

// ErrPath is a path that no shared file has.
var ErrPath = errors.New("no path of a shared file")

// Write writes a commit, and puts a ref of this repository at it. The work tree and the
// index have no part in it.
func (r Repo) Write(ctx context.Context, ref string, c Commit) (id string, err error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit %s\ncommitter %s %d +0000\ndata %d\n%s\n", ref, who, c.Time.Unix(), len(c.Message), c.Message)
	switch {
	case c.Parent != "":
		fmt.Fprintf(&b, "from %s\n", c.Parent)
	case c.Tree != "":
		fmt.Fprintf(&b, "M 040000 %s \"\"\n", c.Tree)
	}
	for path, tree := range c.Trees {
		fmt.Fprintf(&b, "M 040000 %s %s\n", tree, path)
	}
	for _, path := range c.Remove {
		fmt.Fprintf(&b, "D %s\n", path)
	}
	for path, data := range c.Files {
		if strings.ContainsAny(path, "\n\"") {
			return "", fmt.Errorf("%w: %q", ErrPath, path)
		}
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n", path, len(data))
		b.Write(data)
		b.WriteString("\n")
	}
	b.WriteString("done\n")
	if c.Parent == "" { // else fast-import goes on from where the ref is
		if err := r.Keep(ctx, map[string]string{ref: ""}); err != nil {
			return "", err
		}
	}
	if _, err := r.ask(ctx, b.Bytes(), "fast-import", "--quiet", "--done", "--force", "--date-format=raw"); err != nil {
		return "", err
	}
	return r.Tip(ctx, ref)
}

// TreeOf is the id of a commit's tree.
func (r Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	return r.ask(ctx, nil, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
}
