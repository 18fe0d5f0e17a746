//go:build unix

package scriptedagent

import (
	"os/exec"
	"syscall"
)

// ownSession starts a process in a new session, like Claude's Bash tool: a
// signal to the agent's process group does not reach it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
