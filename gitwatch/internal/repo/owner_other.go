//go:build !unix

package repo

import "io/fs"

// ownedByUser always returns true: only git knows the owner of a file.
func ownedByUser(fs.FileInfo) bool { return true }
