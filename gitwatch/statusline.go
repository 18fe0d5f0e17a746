package gitwatch

import (
	"errors"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// statusPath is what git status says of one path.
type statusPath struct {
	path     string
	head     file   // what HEAD holds; not known for an unmerged path
	index    file   // what the index holds
	disk     uint32 // the mode on disk; 0 when git does not say
	gone     bool   // it is not on disk
	asIndex  bool   // it stands on disk as in the index
	unmerged bool
	ignored  bool
}

var errNoStatus = errors.New("git status answered in a form that cannot be read")

// parseStatus reads one record of git status --porcelain=v2 -z, without
// renames:
//
//	1 XY SUB MODE-HEAD MODE-INDEX MODE-DISK ID-HEAD ID-INDEX PATH
//	u XY SUB MODE1 MODE2 MODE3 MODE-DISK ID1 ID2 ID3 PATH
//	? PATH
//	! PATH
func parseStatus(record string) (statusPath, error) {
	kind, rest, _ := strings.Cut(record, " ")
	switch kind {
	case "?", "!":
		return statusPath{path: rest, ignored: kind == "!"}, nil
	case "u":
		f := strings.SplitN(rest, " ", 10)
		if len(f) != 10 {
			return statusPath{}, errNoStatus
		}
		return statusPath{path: f[9], unmerged: true}, nil
	case "1":
		f := strings.SplitN(rest, " ", 8)
		if len(f) != 8 || len(f[0]) != 2 {
			return statusPath{}, errNoStatus
		}
		p := statusPath{path: f[7], asIndex: f[0][1] == '.', gone: f[0][1] == 'D' || f[0] == "D."}
		var okHead, okIndex, okDisk bool
		p.head, okHead = statusFile(f[2], f[5])
		p.index, okIndex = statusFile(f[3], f[6])
		var disk file
		disk, okDisk = statusFile(f[4], f[6])
		p.disk = disk.Mode
		if !okHead || !okIndex || !okDisk {
			return statusPath{}, errNoStatus
		}
		return p, nil
	}
	return statusPath{}, errNoStatus
}

// statusFile is a mode in octal and an id; zeros are none.
func statusFile(mode, id string) (file, bool) {
	m, err := strconv.ParseUint(mode, 8, 32)
	hash, ok := git.ParseID(id)
	if err != nil || !ok {
		return file{}, false
	}
	if m == 0 {
		return file{}, true
	}
	return file{Mode: git.CanonicalMode(uint32(m)), Hash: hash.String()}, true
}

// joinPaths makes one of the two records of a path that is gone from the
// index and stands on disk, untracked.
func joinPaths(paths []statusPath) []statusPath {
	at := map[string]int{}
	var out []statusPath
	for _, p := range paths {
		if i, ok := at[p.path]; ok {
			p.head = out[i].head
			out[i] = p
			continue
		}
		at[p.path] = len(out)
		out = append(out, p)
	}
	return out
}
