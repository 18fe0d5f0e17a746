package apptest

import (
	"os"

	"agentflow/internal/atomicfile"
)

// Swap creates temporary files with names like those of editors. The next writer removes files that
// look like our temporary files.
type Swap struct{ atomicfile.OS }

func (Swap) CreateTemp(dir, _ string) (atomicfile.File, error) {
	return os.CreateTemp(dir, "*.md~")
}
