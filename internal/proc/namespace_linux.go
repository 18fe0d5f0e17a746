package proc

import (
	"os"
	"strings"
	"sync"
)

// namespace names what ids of processes count in: the boot of this machine and the
// namespace of this process, such as a container's; empty where that is not known.
var namespace = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, linkErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || linkErr != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space
})
