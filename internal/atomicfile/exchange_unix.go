//go:build linux || darwin

package atomicfile

import (
	"errors"
	"os"
)

func swapError(a, b string, err error) error {
	switch {
	case err == nil:
		return nil
	case cannotSwap(err):
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
}
