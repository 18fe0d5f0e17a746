package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const statTail = " S 10 20 30 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2000"

func TestParseStat(t *testing.T) {
	for _, name := range []string{"sh", "", "a b", "(sd-pam)", "a) S 1 2 3", "x\ny", ")", "((", "é\xff"} {
		got, err := parseStat([]byte("42 (" + name + ")" + statTail + "\n"))
		want := row{ident: ident{pid: 42, start: 987654}, ppid: 10, pgid: 20, sid: 30, name: name}
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

func TestParseStatDead(t *testing.T) {
	for _, test := range []struct {
		state   string
		threads int
		dead    bool
	}{{"R", 1, false}, {"S", 4, false}, {"D", 1, false}, {"T", 1, false}, {"Z", 1, true}, {"Z", 3, false}, {"X", 1, true}} {
		line := fmt.Sprintf("1 (x) %s 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 %d 0 5", test.state, test.threads)
		if got, err := parseStat([]byte(line)); err != nil || got.dead != test.dead {
			t.Errorf("%s with %d threads: %+v, %v", test.state, test.threads, got, err)
		}
	}
}

func TestParseStatRefuses(t *testing.T) {
	for _, line := range []string{
		"", "42", "42 (sh", "(sh)" + statTail, "42 )sh(" + statTail, "42 (sh) S 10 20", "x (sh)" + statTail,
		"42 (sh)" + strings.Replace(statTail, "987654", "-5", 1), "42 (sh)" + strings.Replace(statTail, " 10 ", " ten ", 1),
	} {
		if got, err := parseStat([]byte(line)); err == nil {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

// Names that a program can give itself, as this kernel writes them.
func TestParseStatOfRealNames(t *testing.T) {
	dir := t.TempDir()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"plain", "with space", ") R 1 1 1 (", "new\nline", "sixteen bytes and more"} {
		path := fmt.Sprintf("%s/%s", dir, name)
		if err := os.Symlink(sleep, path); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, fmt.Sprint(4000+i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		got, err := readRow(cmd.Process.Pid)
		cmd.Process.Kill()
		cmd.Wait()
		sid, _ := unix.Getsid(0)
		want := name[:min(len(name), 15)]
		if err != nil || got.pid != cmd.Process.Pid || got.ppid != os.Getpid() || got.sid != sid || got.name != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(1, 2, 3, 4, uint64(5), "a) (b", "1 (x) S 1")
	f.Add(-1, 0, 1<<30, 4, uint64(1<<63), "\n", "")
	f.Fuzz(func(t *testing.T, pid, ppid, pgid, sid int, start uint64, name, any string) {
		parseStat([]byte(any)) // must not panic on any input
		line := fmt.Sprintf("%d (%s) S %d %d %d 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid, name, ppid, pgid, sid, start)
		want := row{ident: ident{pid: pid, start: start}, ppid: ppid, pgid: pgid, sid: sid, name: name}
		if got, err := parseStat([]byte(line)); err != nil || got != want {
			t.Fatalf("%q: %+v, %v", line, got, err)
		}
	})
}
