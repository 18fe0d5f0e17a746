package atomicfile

import "os"

// OS is the operating system's file system.
type OS struct{}

// CreateTemp creates a new file with mode 0600, as os.CreateTemp does.
func (OS) CreateTemp(dir, pattern string) (File, error) { return os.CreateTemp(dir, pattern) }

// Rename replaces to with from.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDir makes the names in dir survive a crash of the machine, where the
// system can do that.
func (OS) SyncDir(dir string) error { return syncDir(dir) }

// Exchange swaps two files that are there, in one step. Its error matches
// errors.ErrUnsupported where the system cannot do that.
func (OS) Exchange(a, b string) error { return exchange(a, b) }
