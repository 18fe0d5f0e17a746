package tempfolder

import "os"

// isOwn is true: temporary folders of Windows are each user's own.
func isOwn(os.FileInfo) bool { return true }
