//go:build unix

package scriptedagent

import (
	"os/exec"
	"syscall"
)

// ownSession puts a process out of its parent's session, as Claude's Bash
// tool does: a signal to the agent's process group does not reach it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
