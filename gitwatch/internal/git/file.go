package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agentflow/internal/repofile"
)

// MaxRead is the size in bytes up to which a file is read and hashed.
const MaxRead = 10 << 20

// ErrTooLarge says that an object or a file is over the size that was asked for.
var ErrTooLarge = errors.New("too large to read")

// ReadFile reads a file of the work tree, or where a link points to, up to
// limit bytes; over that the error is ErrTooLarge.
func ReadFile(path string, mode uint32, limit int64) ([]byte, error) {
	if mode == ModeLink {
		target, err := os.Readlink(path)
		return []byte(filepath.ToSlash(target)), err
	}
	f, err := repofile.Open(path, repofile.NoLink)
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

// WithoutPath takes the path out of a file error: the caller names it.
func WithoutPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}
