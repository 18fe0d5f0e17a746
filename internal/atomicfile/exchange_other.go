//go:build !linux && !darwin

package atomicfile

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
