package writeback

import (
	"errors"
	"io/fs"
	"path/filepath"

	"agentflow/internal/atomicfile"
)

// tidyUp removes the leftovers of a killed command next to the files that it was writing. A command
// that finishes a pending record must do it too, because afterwards no trace shows that there was
// anything to finish.
func (t *turn) tidyUp() {
	t.recoverSwaps()
	t.sweep()
}

// recoverSwaps restores a file that an editor saved while a command that was replacing it was
// killed.
func (t *turn) recoverSwaps() {
	for _, dir := range t.folder.folders() {
		if err := atomicfile.RecoverSwaps(t.sys, dir); err != nil {
			t.degrade(err.Error())
		}
	}
}

// sweep removes temporary files that a crash left. The lock keeps it from removing those of active
// writers of memory. A copy of the settings is written without the lock, and renamed soon after.
func (t *turn) sweep() {
	for _, dir := range append(t.folder.folders(), t.State, t.archive.keptFolder()) {
		names, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
		for _, name := range names {
			if err := t.sys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.degrade(err.Error())
			}
		}
	}
}
