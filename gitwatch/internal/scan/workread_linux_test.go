package scan

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

// TestReadOfWorkTree reads files that are no longer what their stat said.
func TestReadOfWorkTree(t *testing.T) {
	f := gittest.New(t)
	f.Write("dir/file", "contents\n")
	f.Write("dir/empty", "")
	f.Write("dir/large", strings.Repeat("x", git.MaxRead+1))
	f.Write("dir/limit", strings.Repeat("x", git.MaxRead))
	gittest.Must(t, os.Symlink("file", f.Path("dir/link")))
	w := workDir{root: f.Dir}
	gittest.Must(t, w.begin())
	defer w.end()
	read := func(name string, size int64) string {
		content, err := w.read("dir/"+name, size)
		if err != nil {
			return err.Error()
		}
		return string(content)
	}
	for _, size := range []int64{0, 3, 8, 10, 5000} {
		gittest.Want(t, fmt.Sprintf("a file that had %d bytes", size), read("file", size), "contents\n")
	}
	gittest.Want(t, "an empty file", read("empty", 0), "")
	gittest.Want(t, "a file that was emptied", read("empty", 9), "")
	gittest.Want(t, "a file that is a link now", read("link", 9), "open dir/link: too many levels of symbolic links")
	gittest.Want(t, "a file that grew too large", read("large", 9), git.ErrTooLarge.Error())
	if n := len(read("limit", 9)); n != git.MaxRead {
		t.Errorf("a file of the most that is read: %d bytes", n)
	}
	if _, err := w.read("dir/gone", 9); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
