package gitwatch

import (
	"errors"
	"strconv"
	"strings"
)

// errDamaged is an object that does not follow git's format.
var errDamaged = errors.New("it is damaged")

// parseCommit reads a commit object: header lines, a blank one, the message.
func parseCommit(id oid, raw []byte) (*commitInfo, error) {
	header, message, _ := strings.Cut(string(raw), "\n\n")
	c := &commitInfo{id: id, subject: subject(message)}
	whole := false
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree, whole = parseID(value)
		case "parent":
			p, ok := parseID(value)
			if !ok {
				return nil, errDamaged
			}
			c.parents = append(c.parents, p)
		case "author":
			c.author = value
		case "committer":
			c.time = commitTime(value)
		}
	}
	if !whole {
		return nil, errDamaged
	}
	return c, nil
}

// commitTime reads the seconds of "Name <mail> SECONDS ZONE"; those that
// cannot be read count as zero, as git has it.
func commitTime(line string) int64 {
	fields := strings.Fields(line[strings.LastIndexByte(line, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return seconds
}

// parseTag reads what an annotated tag names.
func parseTag(raw []byte) (oid, error) {
	line, _, _ := strings.Cut(string(raw), "\n")
	value, ok := strings.CutPrefix(line, "object ")
	id, whole := parseID(value)
	if !ok || !whole {
		return "", errDamaged
	}
	return id, nil
}
