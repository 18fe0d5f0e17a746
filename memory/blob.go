package memory

import "strings"

// An entry keeps the beginning of the blob id of each path it changed, so
// that its contents are known again in a commit that was made of them later:
// a squash, or a commit by hand. Eight digits beside the path are enough for
// that, and they outlast the run's folder and git's garbage collection.
const blobDigits = 8

// NoBlob stands for a path that is not there any more.
var NoBlob = strings.Repeat("0", blobDigits)

// ShortBlob is the beginning of a blob id in hex, or of the id of the commit
// a submodule is at; empty for an empty one.
func ShortBlob(id string) string { return id[:min(len(id), blobDigits)] }

// blobs are those of a list, in order; nil when none is known.
func (l ChangeList) blobs() []string {
	list := make([]string, len(l.Items))
	known := false
	for i, c := range l.Items {
		list[i] = c.Blob
		known = known || c.Blob != ""
	}
	if !known {
		return nil
	}
	return list
}

// setBlobs is the reverse of blobs. Where a person took lines out or put some
// in, nobody knows any more which is whose.
func (l *ChangeList) setBlobs(list []string) {
	if len(list) != len(l.Items) {
		return
	}
	for i := range l.Items {
		l.Items[i].Blob = list[i]
	}
}
