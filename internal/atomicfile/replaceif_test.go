package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// meddling is the real file system, with somebody who saves at chosen steps.
type meddling struct {
	OS
	before map[int]func() // by number of the exchange, from 1
	count  *int
	fail   error
}

func (m meddling) Exchange(a, b string) error {
	*m.count++
	if f := m.before[*m.count]; f != nil {
		f()
	}
	if m.fail != nil {
		return m.fail
	}
	return m.OS.Exchange(a, b)
}

func TestReplaceIf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if made, err := ReplaceIf(OS{}, path, nil, []byte("new")); made || err != nil {
		t.Errorf("replacing what is not there: %v, %v", made, err)
	}
	write(t, path, "old", 0o640)
	if made, err := ReplaceIf(OS{}, path, []byte("other"), []byte("new")); made || err != nil {
		t.Errorf("replacing what holds something else: %v, %v", made, err)
	}
	wantFile(t, path, "old")
	if made, err := ReplaceIf(OS{}, path, []byte("old"), []byte("new")); !made || err != nil {
		t.Errorf("%v, %v", made, err)
	}
	wantFile(t, path, "new")
	wantAlone(t, path)
}

// TestSavedMeanwhile saves by rename just before the swap, and once more
// before it is given back.
func TestSavedMeanwhile(t *testing.T) {
	for _, saves := range []int{1, 2, 3} {
		for _, fail := range []error{nil, errors.ErrUnsupported} {
			t.Run(fmt.Sprint(saves, fail), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a")
				write(t, path, "old", 0o600)
				sys := meddling{before: map[int]func(){}, count: new(int), fail: fail}
				last := ""
				for n := 1; n <= saves; n++ {
					sys.before[n] = func() {
						last = fmt.Sprint("saved ", n)
						write(t, path, last, 0o600)
					}
				}
				made, err := ReplaceIf(sys, path, []byte("old"), []byte("new"))
				if made || err != nil {
					t.Errorf("%v, %v", made, err)
				}
				wantFile(t, path, last)
				wantAlone(t, path)
			})
		}
	}
}

func TestReplaceIfFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, "old", 0o600)
	sys := meddling{count: new(int), fail: syscall.EIO}
	if made, err := ReplaceIf(sys, path, []byte("old"), []byte("new")); made || !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, %v", made, err)
	}
	wantFile(t, path, "old")
	wantAlone(t, path)
	gone := meddling{count: new(int), before: map[int]func(){1: func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}}}
	if made, err := ReplaceIf(gone, path, []byte("old"), []byte("new")); made || err != nil {
		t.Errorf("%v, %v", made, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("what was taken away is back: %v", err)
	}
}
