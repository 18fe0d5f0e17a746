//go:build unix

package ask_test

import (
	"strconv"
	"strings"
	"syscall"
)

func alive(pid string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	return err == nil && syscall.Kill(n, 0) == nil
}
