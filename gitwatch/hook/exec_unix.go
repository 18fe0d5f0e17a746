//go:build !windows

package hook

import "io/fs"

// executable says whether git runs a hook of this mode.
func executable(mode fs.FileMode) bool { return mode.Perm()&0o111 != 0 }
