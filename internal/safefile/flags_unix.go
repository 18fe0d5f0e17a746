//go:build unix

package safefile

import "syscall"

// dontWait makes opening a named pipe return immediately. It has no effect on a
// regular file.
const dontWait = syscall.O_NONBLOCK

const dontFollow = syscall.O_NOFOLLOW
