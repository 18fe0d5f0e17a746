//go:build !linux

package sqlite

// isNetwork cannot tell on this system: SQLite's locking errors do then.
func isNetwork(string) bool { return false }
