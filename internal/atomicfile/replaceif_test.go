package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// meddling is the real file system, with another writer that saves at chosen
// steps.
type meddling struct {
	OS
	before map[int]func() // by number of the exchange, from 1
	count  *int
	fail   error
	from   int // the number of the first exchange that fails
}

func (m meddling) Exchange(a, b string) error {
	*m.count++
	if f := m.before[*m.count]; f != nil {
		f()
	}
	if m.fail != nil && *m.count >= m.from {
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
						last += fmt.Sprintf("saved %d\n", n)
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

// TestTwoTextsSavedMeanwhile saves a second text that was not made of the
// first: both stay.
func TestTwoTextsSavedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, "old", 0o600)
	sys := meddling{count: new(int), before: map[int]func(){
		1: func() { write(t, path, "old\nfirst\n", 0o600) },
		2: func() { write(t, path, "new\nsecond\n", 0o600) },
	}}
	made, err := ReplaceIf(sys, path, []byte("old"), []byte("new"))
	wantAside(t, err, path, "old\nfirst\n")
	if made {
		t.Error("it counts as replaced")
	}
	wantFile(t, path, "new\nsecond\n")
}

func wantAside(t *testing.T, err error, path, text string) {
	t.Helper()
	aside, ok := errors.AsType[*AsideError](err)
	if !ok || aside.Path != path || filepath.Dir(aside.Aside) != filepath.Dir(path) {
		t.Fatalf("error %v names no text beside %s", err, path)
	}
	wantFile(t, aside.Aside, text)
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 2 {
		t.Errorf("%v are in the folder", names)
	}
}

// TestRecoverSwaps ends ReplaceIf at every swap, as a kill does.
func TestRecoverSwaps(t *testing.T) {
	for name, test := range map[string]struct {
		ends  int // the number of the exchange at which all ends
		later string
		want  string
		aside string
	}{
		"before the swap":     {ends: 1, want: "old"},
		"before giving back":  {ends: 2, want: "hand"},
		"saved meanwhile":     {ends: 2, later: "new\nlater", want: "new\nlater", aside: "hand"},
		"saved what it holds": {ends: 2, later: "new\nhand", want: "new\nhand"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			write(t, path, "old", 0o600)
			killed := errors.New("killed")
			sys := meddling{count: new(int), fail: killed, from: test.ends, before: map[int]func(){}}
			if test.ends > 1 {
				sys.before[1] = func() { write(t, path, "hand", 0o600) }
			}
			if _, err := ReplaceIf(keeping{sys}, path, []byte("old"), []byte("new")); !errors.Is(err, killed) {
				t.Fatal(err)
			}
			if test.later != "" {
				write(t, path, test.later, 0o600)
			}
			err := RecoverSwaps(OS{}, filepath.Dir(path))
			wantFile(t, path, test.want)
			if test.aside != "" {
				wantAside(t, err, path, test.aside)
				return
			}
			if err != nil {
				t.Error(err)
			}
			wantAlone(t, path)
		})
	}
}

// keeping is a file system that no longer removes any file.
type keeping struct{ meddling }

func (keeping) Remove(string) error { return nil }
