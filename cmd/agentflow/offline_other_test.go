//go:build !linux

package main

// runOffline forbids nothing here: that is a matter of Linux.
func runOffline() { main() }
