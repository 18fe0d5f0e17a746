package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agentflow/internal/safefile"
)

// MaxRead limits the bytes of a file that is read and hashed.
const MaxRead = 10 << 20

// ErrTooLarge means that an object or a file exceeds the given limit.
var ErrTooLarge = errors.New("too large to read")

// ReadFile reads a file of the work tree, or the target of a link, up to limit bytes. Over that the
// error is ErrTooLarge.
func ReadFile(path string, mode uint32, limit int64) ([]byte, error) {
	if mode == ModeLink {
		target, err := os.Readlink(path)
		return []byte(filepath.ToSlash(target)), err
	}
	f, err := safefile.Open(path, safefile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = ErrTooLarge
	}
	return content, err
}

// WithoutPath removes the path from a file error, because the caller names it.
func WithoutPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}
