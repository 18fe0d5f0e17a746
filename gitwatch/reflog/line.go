package reflog

import (
	"strconv"
	"strings"
	"time"
)

// ClockSlack is how far a commit's whole seconds may stand before the moment
// a run began.
const ClockSlack = 2 * time.Second

// ParseLine reads "OLD NEW Name <mail> SECONDS ZONE\tmessage".
func ParseLine(line string) (Move, time.Time, bool) {
	head, message, _ := strings.Cut(line, "\t")
	m := Move{Message: message}
	var ok bool
	if m.Old, m.New, _, ok = cutIDs(head, " "); !ok {
		return Move{}, time.Time{}, false
	}
	fields := strings.Fields(head[strings.LastIndexByte(head, '>')+1:])
	if len(fields) != 2 {
		return Move{}, time.Time{}, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	return m, time.Unix(seconds, 0), err == nil
}
