package undo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// restoreLineEnds rewrites the files that git checked out in another size than they
// had on disk, with other line ends. As git only removes a CR before a LF, the size
// shows which they had: all lines the same, with or without CR. The names of files
// with mixed line ends become empty.
func (u *Plan) restoreLineEnds(ctx context.Context, list []*pathPlan, names []string) error {
	var other []int
	for i, p := range list {
		if p.work.Kept != "" || p.work.Size == 0 || !git.IsRegular(p.work.Mode) {
			continue
		}
		info, err := os.Lstat(names[i])
		if err != nil {
			return fmt.Errorf("make %s: %w", p.path, git.WithoutPath(err))
		}
		if info.Size() != p.work.Size {
			other = append(other, i)
		}
	}
	filtered, err := u.filtered(ctx, list, other)
	if err != nil {
		return err
	}
	for _, i := range other {
		if filtered[list[i].path] {
			continue
		}
		blob, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", list[i].work.Hash)
		if err != nil {
			return err
		}
		data := withSize(blob, list[i].work.Size)
		if data == nil {
			names[i] = ""
			continue
		}
		if err := os.WriteFile(names[i], data, 0o666); err != nil {
			return fmt.Errorf("make %s: %w", list[i].path, git.WithoutPath(err))
		}
	}
	return nil
}

// withSize is a blob with the line ends that give it a size on disk; nil where neither
// kind does.
func withSize(blob []byte, size int64) []byte {
	if int64(len(blob)) == size {
		return blob
	}
	if int64(len(blob)+bytes.Count(blob, []byte{'\n'})) == size {
		return bytes.ReplaceAll(blob, []byte{'\n'}, []byte("\r\n"))
	}
	return nil
}

// filtered finds the paths that git converts by more than line ends.
func (u *Plan) filtered(ctx context.Context, list []*pathPlan, at []int) (map[string]bool, error) {
	out := map[string]bool{}
	if len(at) == 0 {
		return out, nil
	}
	var paths strings.Builder
	for _, i := range at {
		paths.WriteString(list[i].path + "\x00")
	}
	told, err := git.Ask(ctx, u.repo.Root(), strings.NewReader(paths.String()), "check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding")
	if err != nil {
		return nil, err
	}
	// PATH NUL ATTRIBUTE NUL VALUE NUL
	fields := strings.Split(string(told), "\x00")
	for ; len(fields) >= 3; fields = fields[3:] {
		if value := fields[2]; value != "unspecified" && value != "unset" {
			out[fields[0]] = true
		}
	}
	return out, nil
}
