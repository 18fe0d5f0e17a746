//go:build !windows

package executor

func shell(command string) []string { return []string{"sh", "-c", command} }
