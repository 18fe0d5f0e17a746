package labtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Workers returns the processes in the lab's home that do what the hooks of
// sessions left to do in the background. It finds them in /proc: where there is
// none, it returns none.
func (l *Lab) Workers() (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		dir := filepath.Dir(file)
		if strings.Contains(processFile(file), "session\x00work\x00") && strings.Contains(processFile(filepath.Join(dir, "environ")), "HOME="+l.Home+"\x00") {
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// processFile returns a file of /proc, or nothing when its process has ended.
func processFile(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// Settle waits until no hook of the lab's sessions has work left.
func (l *Lab) Settle() {
	l.T.Helper()
	Await(l.T, "the end of the work that hooks left", func() bool { return len(l.Workers()) == 0 })
}
