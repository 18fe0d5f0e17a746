package pgtest

import (
	"os/exec"
	"syscall"
)

// dieWithUs makes the system end a command when the tests are killed.
func dieWithUs(c *exec.Cmd) { c.SysProcAttr.Pdeathsig = syscall.SIGQUIT }
