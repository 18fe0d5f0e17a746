//go:build !linux && !darwin

package proc

// Caller is not known here.
func Caller() (pid int, began string) { return 0, "" }

// Lives says that a process may be there, as nobody knows.
func Lives(int, string) bool { return true }
