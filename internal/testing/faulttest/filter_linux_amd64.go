package faulttest

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets at which a filter finds the number of a call, its architecture, and
// the low half of an argument.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

// filter returns the filter program that passes the calls of shapes to the
// listener. Calls that open a file are passed only if it is opened for writing.
func filter() []unix.SockFilter {
	load := func(at int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: uint32(at)}
	}
	answer := func(what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
	}
	ask, allow := answer(unix.SECCOMP_RET_USER_NOTIF), answer(unix.SECCOMP_RET_ALLOW)
	program := []unix.SockFilter{
		load(atArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AUDIT_ARCH_X86_64, Jt: 1},
		allow,
		load(atNumber),
	}
	for number, s := range shapes {
		then := []unix.SockFilter{ask}
		if s.flags >= 0 {
			then = []unix.SockFilter{
				load(atArgs + 8*s.flags),
				{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC, Jf: 1},
				ask,
				allow,
			}
		}
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(number), Jf: uint8(len(then))})
		program = append(program, then...)
	}
	return append(program, allow)
}

// install installs the filter for this thread and its children, and returns the
// listener.
func install() (fd int, err error) {
	program := filter()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("giving up new privileges: %w", err)
	}
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	flags := unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, uintptr(flags), uintptr(unsafe.Pointer(&p)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return -1, fmt.Errorf("installing the filter: %w", errno)
	}
	return int(listener), nil
}

// notification is struct seccomp_notif.
type notification struct {
	id     uint64
	pid    uint32
	_      uint32 // flags
	number int32
	_      uint32 // architecture
	_      uint64 // instruction pointer
	args   [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	_     int64 // value
	errno int32 // negative
	flags uint32
}

func receive(listener int, n *notification) error {
	*n = notification{}
	return control(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n))
}

func respond(listener int, r *response) error {
	return control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(r))
}

func control(listener int, what uintptr, with unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), what, uintptr(with))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}
