package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/internal/safefile"
)

// reserveFile fills space in a run's folder with blanks from the beginning of the run. If the
// disk is full at the end, the ending overwrites the blanks, which takes no new space. Without
// it a run that succeeded would look like an interrupted one.
const (
	reserveFile = "ending.json"
	reserveSize = 16 << 10 // bytes
)

// storedEnding is the final content of reserveFile.
type storedEnding struct {
	Ended time.Time         `json:"ended"`
	End   *runfolder.Ending `json:"end"`
}

// reserve makes the reserve file.
func (r *Begun) reserve() {
	f, err := r.deps.disk.Create(r.folder.File(reserveFile))
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{' '}, reserveSize))
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write the run's %s: %v", reserveFile, err))
	}
	r.reserved = f
}

// writeEnding writes how the agent ended into the reserve file.
func (r *Begun) writeEnding() {
	if r.reserved == nil {
		return
	}
	stored := storedEnding{Ended: r.journal.Ended, End: r.journal.End}
	data, err := json.Marshal(stored)
	if err == nil && len(data) > reserveSize {
		short := *stored.End
		short.Remarks, short.Result = nil, nil
		stored.End = &short
		data, err = json.Marshal(stored)
	}
	if err == nil {
		_, err = r.reserved.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = r.reserved.Write(data[:min(len(data), reserveSize)])
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write how the run ended: %v", err))
	}
}

// takeEnding reads the ending from the reserve file, if the journal could not be written at the
// end.
func (r *Begun) takeEnding() {
	var stored storedEnding
	data, err := safefile.Read(r.folder.File(reserveFile), safefile.NoLink, reserveSize)
	if err != nil || r.journal.Stage != runfolder.StageBegun || json.Unmarshal(data, &stored) != nil || stored.End == nil {
		return
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = runfolder.StageEnded, stored.End, stored.Ended
}

func sizeOf(name string) int64 {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}
