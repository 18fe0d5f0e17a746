package proc

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// environMax bounds what is read of one process's environment; Linux allows
// somewhat more, and the tag stands where the agent's parent put it.
const environMax = 8 << 20

// listing lists all processes. One that ends while it is read is left out; so
// that what such a one started meanwhile is not, the names are read again until
// there is nothing new, at most five times.
func listing() table {
	t, seen := table{}, map[int]bool{}
	for range 5 {
		fresh := false
		for _, pid := range processes() {
			if seen[pid] {
				continue
			}
			seen[pid], fresh = true, true
			if r, err := readRow(pid); err == nil {
				t[pid] = r
			}
		}
		if !fresh {
			break
		}
	}
	return t
}

func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func readRow(pid int) (row, error) {
	line, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return row{}, err
	}
	return parseStat(line)
}

// tagged tells whether a process of this user has the tag in the environment
// it was started with.
func tagged(pid int, tag string) bool {
	if tag == "" {
		return false
	}
	f, err := os.Open(procPath(pid, "environ"))
	if err != nil {
		return false
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	environ, _ := io.ReadAll(io.LimitReader(f, environMax))
	return holdsTag(environ, tag)
}

func cmdline(pid int) []byte {
	f, err := os.Open(procPath(pid, "cmdline"))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4096))
	return b
}

func procPath(pid int, file string) string {
	return strings.Join([]string{"/proc", strconv.Itoa(pid), file}, "/")
}
