package history

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Tree returns the regular files of a commit: the ids of their contents, by path. dir is a
// repository or its git directory. rev is any name that git accepts for a commit.
func Tree(ctx context.Context, dir, rev string) (map[string]string, error) {
	out, err := git.Ask(ctx, dir, nil, "ls-tree", "-r", "-z", "--full-tree", rev)
	if err != nil {
		return nil, fmt.Errorf("reading the files of %s: %w", rev, err)
	}
	tree := map[string]string{}
	for _, line := range git.SplitZ(string(out)) {
		head, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(head); len(f) == 3 && strings.HasPrefix(f[0], "100") {
			tree[path] = f[2]
		}
	}
	return tree, nil
}

// Contents reads contents by their ids, and calls take with each that exists. take must not keep
// the slice.
func Contents(ctx context.Context, dir string, ids []string, take func(id string, content []byte)) error {
	if len(ids) == 0 {
		return nil
	}
	read := func(r io.Reader) error {
		in := bufio.NewReader(r)
		var content []byte
		for {
			line, err := in.ReadString('\n')
			if err == io.EOF && line == "" {
				return nil
			}
			if err != nil {
				return err
			}
			f := strings.Fields(line) // "ID blob SIZE", or "ID missing"
			if len(f) != 3 {
				continue
			}
			size, err := strconv.Atoi(f[2])
			if err != nil {
				return err
			}
			content = append(content[:0], make([]byte, size+1)...) // a line break follows
			if _, err := io.ReadFull(in, content); err != nil {
				return err
			}
			take(f[0], content[:size])
		}
	}
	if err := git.Stream(ctx, dir, strings.NewReader(git.Lines(ids)), read, "cat-file", "--batch"); err != nil {
		return fmt.Errorf("reading %d contents of %s: %w", len(ids), dir, err)
	}
	return nil
}
