//go:build !linux

package sqlite

// isNetwork cannot detect network file systems on this system; SQLite reports
// locking errors instead.
func isNetwork(string) bool { return false }
