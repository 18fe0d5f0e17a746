package turn

import (
	"errors"
	"io/fs"
	"path/filepath"

	"agentflow/internal/atomicfile"
)

// TidyUp removes the leftovers of a killed command next to the files that it was writing. A command
// that finishes a pending record must do it too, because afterwards no trace shows that there was
// anything to finish.
func (t *Turn) TidyUp() {
	t.RecoverSwaps()
	t.Sweep()
}

// RecoverSwaps restores a file that an editor saved while a command that was replacing it was
// killed.
func (t *Turn) RecoverSwaps() {
	for _, dir := range t.Folder.Folders() {
		if err := atomicfile.RecoverSwaps(t.Sys, dir); err != nil {
			t.Degrade(err.Error())
		}
	}
}

// Sweep removes temporary files that a crash left. The lock keeps it from removing those of active
// writers of memory. A copy of the settings is written without the lock, and renamed soon after.
func (t *Turn) Sweep() {
	for _, dir := range append(t.Folder.Folders(), t.State, t.Archive.KeptFolder()) {
		names, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
		for _, name := range names {
			if err := t.Sys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Degrade(err.Error())
			}
		}
	}
}
