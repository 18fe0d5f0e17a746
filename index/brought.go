package index

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// broughtMark stands before the names of files that the repository brought
// and nobody accepted: one that is accepted is another file to the index. No
// relative path begins so.
const broughtMark = "//"

// Bounds of what is indexed of such files: one, in bytes, and how many in all.
// Whoever writes a repository decides how large they are.
const (
	maxBrought      = 1 << 20
	maxBroughtFiles = 200
)

// brings notes that the repository brought f; false says that it is not to be
// read.
func (w *walker) brings(f *found) bool {
	f.name, f.included = broughtMark+f.name, true
	if w.brought++; w.brought > maxBroughtFiles {
		if w.brought == maxBroughtFiles+1 {
			w.skipped = append(w.skipped, fmt.Sprintf("%s: only %d files that came with the repository are searched", w.source.Prefix, maxBroughtFiles))
		}
		return false
	}
	return true
}

// cutMark is the path of a file, and whether the repository brought it.
func cutMark(path string) (string, bool) { return strings.CutPrefix(path, broughtMark) }

// withoutBrought leaves out what the repository brought, where there is any.
func (f *filter) withoutBrought(ctx context.Context, c *sql.Conn) error {
	any, err := column[int](ctx, c, `SELECT 1 FROM files WHERE path>='//' AND path<'/0' LIMIT 1`)
	if err == nil && len(any) > 0 {
		f.add(`substr(f.path, 1, 2) <> '//'`)
	}
	return err
}
