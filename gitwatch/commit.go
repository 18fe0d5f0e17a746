package gitwatch

import (
	"errors"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// errDamaged is an object that does not follow git's format.
var errDamaged = errors.New("it is damaged")

// parseCommit reads a commit object: header lines, a blank one, the message.
func parseCommit(id git.ID, raw []byte) (*commitInfo, error) {
	header, message, _ := strings.Cut(string(raw), "\n\n")
	c := &commitInfo{id: id, subject: subject(message)}
	whole := false
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree, whole = git.ParseID(value)
		case "parent":
			p, ok := git.ParseID(value)
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
func parseTag(raw []byte) (git.ID, error) {
	line, _, _ := strings.Cut(string(raw), "\n")
	value, ok := strings.CutPrefix(line, "object ")
	id, whole := git.ParseID(value)
	if !ok || !whole {
		return "", errDamaged
	}
	return id, nil
}

// subject is the first line of a commit message, as git log --format=%s gives
// it: the lines of the first paragraph joined.
func subject(message string) string {
	message = strings.TrimLeft(message, "\r\n\t ")
	for i, line := range strings.Split(message, "\n") {
		if strings.TrimSpace(line) == "" {
			return git.OneLine(strings.Join(strings.Split(message, "\n")[:i], " "))
		}
	}
	return git.OneLine(message)
}
