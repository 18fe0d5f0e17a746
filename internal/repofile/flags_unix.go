//go:build unix

package repofile

import "syscall"

// dontWait makes opening a named pipe return at once; to a regular file it
// does nothing.
const dontWait = syscall.O_NONBLOCK

const dontFollow = syscall.O_NOFOLLOW
