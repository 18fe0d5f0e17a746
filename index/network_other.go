//go:build !linux

package index

// isNetwork is not known here; SQLite's own locking errors then tell.
func isNetwork(string) bool { return false }
