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

// Blobs reads blobs, in any order and each once, and passes them to f.
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

// Commit describes a commit to write.
type Commit struct {
	Parent  string // empty: none; the tree then begins empty, or as Tree
	Tree    string // for a commit without a parent; empty: none
	Clear   bool   // the tree begins empty instead of as that of Parent
	Message string
	Time    time.Time
	Trees   map[string]string // paths to ids of trees to put there
	Remove  []string          // paths to remove, afterwards
	Files   map[string][]byte // paths to contents, afterwards
}

// who is the author of commits. The manifests in them name, and sign for, the real authors.
const who = "agentflow <agentflow>"

// ErrPath means that a shared file cannot have the path.
var ErrPath = errors.New("no path of a shared file")

// Write writes a commit, and sets a ref of this repository to it. It does not touch the work tree
// and the index.
func (r Repo) Write(ctx context.Context, ref string, c Commit) (id string, err error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit %s\ncommitter %s %d +0000\ndata %d\n%s\n", ref, who, c.Time.Unix(), len(c.Message), c.Message)
	switch {
	case c.Parent != "":
		fmt.Fprintf(&b, "from %s\n", c.Parent)
	case c.Tree != "":
		fmt.Fprintf(&b, "M 040000 %s \"\"\n", c.Tree)
	}
	if c.Clear {
		b.WriteString("deleteall\n")
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
	if c.Parent == "" { // otherwise fast-import continues from the ref
		if err := r.Keep(ctx, map[string]string{ref: ""}); err != nil {
			return "", err
		}
	}
	if _, err := r.ask(ctx, b.Bytes(), "fast-import", "--quiet", "--done", "--force", "--date-format=raw"); err != nil {
		return "", err
	}
	return r.Tip(ctx, ref)
}

// TreeOf returns the id of a commit's tree.
func (r Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	return r.ask(ctx, nil, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
}
