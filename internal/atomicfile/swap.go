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

// swapName matches the name of a swap file: a complete temporary file that is
// about to be swapped with its target. The name,
// ".<base>.<digits>.<old>-<new>.swap", has the sums of the replaced text and of
// the new text, so that RecoverSwaps can distinguish both from a text that
// another program saved.
var swapName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.(.+)\.\d+\.([0-9a-f]{12})-([0-9a-f]{12})\.swap$`) })

// readyToSwap renames a complete temporary file to a swap file.
func readyToSwap(sys System, temp string, old, data []byte) (swap string, err error) {
	swap = strings.TrimSuffix(temp, ".tmp") + "." + sum(old) + "-" + sum(data) + ".swap"
	if err := sys.Rename(temp, swap); err != nil {
		return "", errors.Join(err, sys.Remove(temp))
	}
	return swap, nil
}

// sum returns the beginning of a text's SHA-256, as 12 hexadecimal digits.
func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:6])
}

// giveBack swaps until target, which now holds data, has the text that another
// program saved last. swap holds saved, an earlier saved text.
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
		expected, saved = saved, found // the file was saved again, and the newer text wins
	}
}

// holdsLines reports whether every line of part is a line of text.
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

// AsideError means that two texts were saved to a file while it was being
// replaced, so that only one could stay.
type AsideError struct {
	Path  string // the file with the text that was saved last
	Aside string // the file next to it with the other text
}

// Error returns the message in one line.
func (e *AsideError) Error() string {
	return fmt.Sprintf("%s was saved twice while it was being replaced: the text saved first is in %s", e.Path, e.Aside)
}

// setAside keeps the text of a swap file under a visible name.
func setAside(sys System, swap, target string) error {
	digits := strings.Split(filepath.Base(swap), ".")
	aside := target + ".saved-" + digits[len(digits)-3]
	if err := sys.Rename(swap, aside); err != nil {
		return err
	}
	return &AsideError{Path: target, Aside: aside}
}

// RecoverSwaps completes every ReplaceIf in a folder that was killed: a text
// that another program saved at the moment of the swap is put back into its
// file. No ReplaceIf may run in the folder meanwhile. An *AsideError in err
// names a text that was kept in a separate file.
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
