//go:build !linux && !darwin

package scan

// keepsTimes is never said here: there is no ctime to hold on to either.
func keepsTimes(string) bool { return false }
