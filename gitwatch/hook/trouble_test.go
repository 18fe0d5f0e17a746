package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAHookNeverFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	state := l.place(l.repo).State()
	quiet := func(what string) {
		t.Helper()
		if out, code := l.try(l.repo, "sh", "-e", ".git/hooks/post-commit"); out != "" || code != 0 {
			t.Errorf("%s: exit code %d, said %q", what, code, out)
		}
	}
	damaged := func(what string, want int) {
		t.Helper()
		have := 0
		err := Take(t.Context(), state, func(_ []Event, n int) error { have += n; return nil })
		if err != nil || have != want {
			t.Errorf("%s: %d damaged, %v; want %d", what, have, err, want)
		}
	}

	quiet("nothing is wrong")
	if info, err := os.Stat(queueOf(state)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the queue: %v, %v", info, err)
	}
	damaged("nothing wrong", 0)

	// A folder in the way of the queue keeps root from writing it, too.
	ways := []string{queueOf(state), filepath.Join(state, folderName, missedName)}
	for i := range ways {
		if err := os.Mkdir(ways[i], 0o700); err != nil {
			t.Fatal(err)
		}
		quiet("no queue can be written")
		if at, missed := Missed(state); !missed || at.IsZero() {
			t.Error("no mark was left")
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(state), missedBeside)); (err == nil) != (i == 1) {
			t.Errorf("a mark beside the folder: %v", err)
		}
		if err := os.Remove(ways[1]); err != nil { // the mark, then the folder
			t.Fatal(err)
		}
	}
	if err := os.Remove(ways[0]); err != nil {
		t.Fatal(err)
	}
	damaged("no queue", 1)
	if _, missed := Missed(state); missed {
		t.Error("the mark stayed")
	}

	full := strings.Repeat("commit - "+idA+" - \n", (1<<20)/len("commit - "+idA+" - \n"))
	l.write(queueOf(state), full, 0o600)
	quiet("a full queue")
	quiet("a full queue")
	if info, err := os.Stat(queueOf(state)); err != nil || info.Size() > 1<<20 {
		t.Errorf("the queue grew to %d bytes, %v", info.Size(), err)
	}
	if _, missed := Missed(state); !missed {
		t.Error("that the queue is full was not marked")
	}
	if err := os.Remove(queueOf(state)); err != nil {
		t.Fatal(err)
	}
	damaged("a full queue", 1)

	if err := os.Chmod(filepath.Join(state, folderName), 0o500); err != nil {
		t.Fatal(err)
	}
	quiet("a folder that cannot be written")
	if err := os.Chmod(filepath.Join(state, folderName), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	quiet("no memory")
	if _, err := os.Stat(state); err == nil {
		t.Error("a hook made the folder that was removed")
	}
	l.look(l.repo, Broken, Broken)
	l.env = []string{"GIT_DIR=/nowhere"}
	quiet("no repository")
}
