package gitwatch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadOfWorkTree reads files that are no longer what their stat said.
func TestReadOfWorkTree(t *testing.T) {
	f := newFixture(t)
	f.write("dir/file", "contents\n")
	f.write("dir/empty", "")
	f.write("dir/large", strings.Repeat("x", maxRead+1))
	f.write("dir/limit", strings.Repeat("x", maxRead))
	must(t, os.Symlink("file", f.path("dir/link")))
	w := workDir{root: f.dir}
	must(t, w.begin())
	defer w.end()
	read := func(name string, size int64) string {
		content, err := w.read("dir/"+name, size)
		if err != nil {
			return err.Error()
		}
		return string(content)
	}
	for _, size := range []int64{0, 3, 8, 10, 5000} {
		want(t, fmt.Sprintf("a file that had %d bytes", size), read("file", size), "contents\n")
	}
	want(t, "an empty file", read("empty", 0), "")
	want(t, "a file that was emptied", read("empty", 9), "")
	want(t, "a file that is a link now", read("link", 9), "open dir/link: too many levels of symbolic links")
	want(t, "a file that grew too large", read("large", 9), errTooLarge.Error())
	if n := len(read("limit", 9)); n != maxRead {
		t.Errorf("a file of the most that is read: %d bytes", n)
	}
	if _, err := w.read("dir/gone", 9); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
