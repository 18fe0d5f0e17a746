//go:build !linux

package main

// runOffline forbids nothing here, because only Linux can.
func runOffline() { main() }
