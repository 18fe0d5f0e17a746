//go:build !linux && !darwin

package git

// IsNotDir is false here: the system's error is that there is no such file.
func IsNotDir(error) bool { return false }
