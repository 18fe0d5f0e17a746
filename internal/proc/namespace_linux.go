package proc

import (
	"os"
	"strings"
	"sync"
)

// namespace identifies the scope of process ids: the boot of this machine and
// the PID namespace of this process, such as a container's. It is empty if
// unknown.
var namespace = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, linkErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || linkErr != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space
})
