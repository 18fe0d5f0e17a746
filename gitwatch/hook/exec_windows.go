package hook

import "io/fs"

// executable says whether git runs a hook of this mode: Windows has none.
func executable(fs.FileMode) bool { return true }
