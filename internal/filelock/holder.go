package filelock

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"agentflow/internal/repofile"
)

// Holder is who holds a lock.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Verb  string    `json:"verb"` // what it is doing: "run", "forget"
}

// Self is this process as a holder, from now on.
func Self(verb string, now time.Time) Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Holder{PID: os.Getpid(), Host: host, Since: now.Truncate(time.Second), Verb: verb}
}

// String is the holder on one line.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d (%s) on %s since %s", h.PID, h.Verb, h.Host, h.Since.Format("15:04:05"))
}

// nameAt is where the holder stands in the lock file. Windows locks the first byte
// even against readers, so the name begins after it.
const nameAt = 1

// write puts the holder into the lock file, in place: whoever replaced the
// file would take the lock away from it.
func (h Holder) write(path string) error {
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(append(line, '\n'), nameAt); err != nil {
		return err
	}
	return f.Truncate(nameAt + int64(len(line)) + 1)
}

// Read gives the last holder named in the lock file at path, or the zero
// Holder when it names none. It does not say whether the lock is still held.
func Read(path string) Holder {
	f, err := repofile.Open(path, repofile.NoLink)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	buf := make([]byte, 1024)
	n, _ := f.ReadAt(buf, nameAt) // io.EOF is the normal end
	var h Holder
	if json.Unmarshal(buf[:n], &h) != nil {
		return Holder{}
	}
	return h
}
