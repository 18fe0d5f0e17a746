//go:build !unix

package ask_test

import (
	"os"
	"strconv"
	"strings"
)

func alive(pid string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		return false
	}
	_, err = os.FindProcess(n)
	return err == nil
}
