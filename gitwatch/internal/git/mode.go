package git

// Git's file modes, as they stand in trees and in the index.
const (
	ModeDir     = 0o040000
	ModeFile    = 0o100644
	ModeExec    = 0o100755
	ModeLink    = 0o120000
	ModeGitlink = 0o160000
)

// Kind is the part of a mode that tells files, links and gitlinks apart.
func Kind(mode uint32) uint32 { return mode & 0o170000 }

// IsRegular says whether a mode is that of a file, executable or not.
func IsRegular(mode uint32) bool { return Kind(mode) == 0o100000 }

// CanonicalMode maps the modes that old versions of git wrote (as 100664) to
// those it compares by.
func CanonicalMode(mode uint32) uint32 {
	if !IsRegular(mode) {
		return mode
	}
	if mode&0o100 != 0 {
		return ModeExec
	}
	return ModeFile
}
