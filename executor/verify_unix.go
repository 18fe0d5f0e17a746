//go:build !windows

package executor

// Shell is the argv that runs a command line as the user's shell does.
func Shell(command string) []string { return []string{"sh", "-c", command} }
