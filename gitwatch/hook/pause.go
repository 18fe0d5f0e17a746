package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// offName stops hooks, as a file in the folder of notes: memory is switched off.
const offName = "off"

// Pause makes hooks note nothing, until Resume. dir is agentflow's folder in the git directory. If
// there is no folder of notes, Pause creates nothing.
func Pause(dir string) error {
	folder := filepath.Join(dir, folderName)
	if _, err := os.Stat(folder); err != nil || Paused(dir) {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(folder, offName), os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("pausing hooks: %w", err)
	}
	return nil
}

// Paused reports, with one stat, whether Pause was called since the last Resume.
func Paused(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, folderName, offName))
	return err == nil
}

// Resume lets hooks note commits again.
func Resume(dir string) error {
	err := os.Remove(filepath.Join(dir, folderName, offName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("resuming hooks: %w", err)
	}
	return nil
}
