package faulttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// starting marks the process that Run starts: the test's program, which then
// executes the program under test.
const starting = "AGENTFLOW_FAULTTEST_START"

// Start must be the first call of a program that calls Run. In a process that
// Run started it does not return.
func Start() {
	if os.Getenv(starting) == "" {
		return
	}
	fmt.Fprintln(os.Stderr, "faulttest:", become())
	os.Exit(125)
}

// channel is the descriptor through which Run receives the listener.
const channel = 3

// become replaces this process by the program of its arguments, under the
// filter.
func become() error {
	runtime.LockOSThread() // the filter belongs to this thread, which calls Exec
	if err := os.Unsetenv(starting); err != nil {
		return err
	}
	listener, err := install()
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(channel, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("handing over the listener: %w", err)
	}
	if err := errors.Join(unix.Close(channel), unix.Close(listener)); err != nil {
		return err
	}
	return fmt.Errorf("starting %s: %w", os.Args[1], syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
}

// Run runs cmd, which must not have been started and must have no ExtraFiles,
// and calls answer for each call: 0 allows it. It returns when cmd and all its
// children have ended, with the error of cmd.Run.
func Run(cmd *exec.Cmd, answer func(Call) syscall.Errno) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	cmd.Args = append([]string{"faulttest", cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.Env, cmd.ExtraFiles = self, append(cmd.Environ(), starting+"=1"), []*os.File{theirs}
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return err
	}
	listener, err := taken(pair[0])
	if err != nil {
		return errors.Join(err, cmd.Wait())
	}
	served := make(chan error)
	go func() { served <- errors.Join(serve(listener, answer), unix.Close(listener)) }()
	return errors.Join(cmd.Wait(), <-served)
}

// taken receives the listener.
func taken(socket int) (int, error) {
	buf := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), buf, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("receiving the listener: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(buf[:n])
	if err != nil || len(messages) != 1 {
		return -1, errors.Join(errors.New("the program was not started under the filter"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1, errors.Join(errors.New("no listener came"), err)
	}
	return fds[0], nil
}

// serve answers calls until no process is left that could make one.
func serve(listener int, answer func(Call) syscall.Errno) error {
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return fmt.Errorf("waiting for calls: %w", err)
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return nil
		}
		var n notification
		if err := receive(listener, &n); errors.Is(err, unix.ENOENT) {
			continue // its process was killed
		} else if err != nil {
			return fmt.Errorf("receiving a call: %w", err)
		}
		r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno := answer(callOf(&n)); errno != 0 {
			r.flags, r.errno = 0, -int32(errno)
		}
		if err := respond(listener, &r); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("answering a call: %w", err)
		}
	}
}
