package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A swap file is a temporary file that is complete and about to be swapped with
// its target. Its name, ".<base>.<digits>.<old>-<new>.swap", has the sums of
// the text that it replaces and of its own, so that RecoverSwaps can tell
// both from a text that somebody else saved.
var swapName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.(.+)\.\d+\.([0-9a-f]{12})-([0-9a-f]{12})\.swap$`) })

// readyToSwap makes a swap file of a complete temporary file.
func readyToSwap(sys System, temp string, old, data []byte) (swap string, err error) {
	swap = strings.TrimSuffix(temp, ".tmp") + "." + sum(old) + "-" + sum(data) + ".swap"
	if err := sys.Rename(temp, swap); err != nil {
		return "", errors.Join(err, sys.Remove(temp))
	}
	return swap, nil
}

// sum is the beginning of a text's SHA-256, in 12 hexadecimal digits.
func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:6])
}

// giveBack swaps until the text that others saved last stands at target, where
// data does now; swap holds saved, which came before it.
func giveBack(sys Exchanger, swap, target string, saved, data []byte) error {
	expected := data
	for {
		if err := sys.Exchange(swap, target); err != nil {
			return fmt.Errorf("giving back what was saved meanwhile, it is in %s: %w", swap, err)
		}
		found, err := os.ReadFile(swap)
		switch {
		case err != nil:
			return err
		case bytes.Equal(found, data) || bytes.Equal(found, expected) && holdsLines(saved, found):
			return sys.Remove(swap)
		case bytes.Equal(found, expected):
			return setAside(sys, swap, target)
		}
		expected, saved = saved, found // saved once more: that is newer
	}
}

// holdsLines says whether every line of part is a line of text.
func holdsLines(text, part []byte) bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(text) {
		lines[string(bytes.TrimSpace(line))] = true
	}
	for line := range bytes.Lines(part) {
		if !lines[string(bytes.TrimSpace(line))] {
			return false
		}
	}
	return true
}

// AsideError says that two texts were saved to a file while it was being
// replaced, so that only one could stay.
type AsideError struct {
	Path  string // holds the text that was saved last
	Aside string // the file beside it that holds the other one
}

// Error says it in a line.
func (e *AsideError) Error() string {
	return fmt.Sprintf("%s was saved twice while it was being replaced: the text saved first is in %s", e.Path, e.Aside)
}

// setAside keeps the text of a swap file under a name that people see.
func setAside(sys System, swap, target string) error {
	digits := strings.Split(filepath.Base(swap), ".")
	aside := target + ".saved-" + digits[len(digits)-3]
	if err := sys.Rename(swap, aside); err != nil {
		return err
	}
	return &AsideError{Path: target, Aside: aside}
}

// RecoverSwaps ends every ReplaceIf in a folder that was killed: what somebody
// saved in the moment of the swap stands in its file again. Nobody may be
// replacing a file of the folder meanwhile. An *AsideError in err names a
// text that had to be kept in a file of its own.
func RecoverSwaps(sys Exchanger, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, ".*.swap"))
	errs := []error{err}
	for _, name := range names {
		if parts := swapName().FindStringSubmatch(filepath.Base(name)); parts != nil {
			errs = append(errs, recoverSwap(sys, name, filepath.Join(dir, parts[1]), parts[2], parts[3]))
		}
	}
	return errors.Join(errs...)
}

func recoverSwap(sys Exchanger, swap, target, old, data string) error {
	saved, err := os.ReadFile(swap)
	if err != nil {
		return err
	}
	if s := sum(saved); s == old || s == data {
		return sys.Remove(swap)
	}
	now, err := os.ReadFile(target)
	switch {
	case err == nil && sum(now) == data:
		return giveBack(sys, swap, target, saved, now)
	case err == nil && holdsLines(now, saved):
		return sys.Remove(swap)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return setAside(sys, swap, target)
	}
	return err
}
