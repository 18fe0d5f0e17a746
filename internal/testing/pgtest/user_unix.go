//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// other returns the user that a server runs as, because it must not run as
// root.
func other() (uid, gid int, ok bool) {
	u, err := user.Lookup("postgres")
	if os.Geteuid() != 0 || err != nil {
		return 0, 0, false
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return uid, gid, err1 == nil && err2 == nil
}

func giveAway(dir string) error {
	if uid, gid, ok := other(); ok {
		return os.Chown(dir, uid, gid)
	}
	return nil
}

// asOther makes a command run as that user, in a new process group.
func asOther(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, ok := other(); ok {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	c.Dir = "/"
	dieWithUs(c)
}

// killAll kills a command and all processes that it started.
func killAll(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
