package kept

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified returns the unified diff of two texts of a file.
func Unified(name string, before, after []byte) []byte {
	_, text, _ := bytes.Cut(diff.Diff("a/"+name, before, "b/"+name, after), []byte("\n")) // the first line names the command
	return text
}
