package gitwatch

import "golang.org/x/sys/unix"

// keepsTimes says whether the file system at path is one of those known to
// move a folder's times whenever a name in it comes or goes. Network and user
// space file systems may do so late or not at all.
func keepsTimes(path string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return false
	}
	name := unix.ByteSliceToString(fs.Fstypename[:])
	return name == "apfs" || name == "hfs"
}
