// Package claudetest runs the real Claude CLI against modeltest's server and
// compares its output and the files of its sessions with testdata/claude. It
// has only end-to-end tests, which `make e2e` runs.
package claudetest
