//go:build !linux && !darwin

package git

// IsNotDir is never said here: the system says that there is no such file.
func IsNotDir(error) bool { return false }
