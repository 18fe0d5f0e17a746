package tempfolder

import "os"

// isOwn returns true: on Windows each user has separate temporary folders.
func isOwn(os.FileInfo) bool { return true }
