package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/internal/safefile"
)

// reserve is a file that fills space in a run's folder with blanks from the beginning of the run.
// If the disk is full at the end, the ending overwrites the blanks, which takes no new space.
// Without it a run that succeeded would look like an interrupted one.
type reserve struct{ file runfolder.LogFile } // nil: there is none

const (
	reserveFile = "ending.json"
	reserveSize = 16 << 10 // bytes
)

// storedEnding is the final content of reserveFile.
type storedEnding struct {
	Ended time.Time         `json:"ended"`
	End   *runfolder.Ending `json:"end"`
}

// newReserve makes the file. After an error it may be too small, or missing.
func newReserve(disk runfolder.Disk, name string) (reserve, error) {
	f, err := disk.Create(name)
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{' '}, reserveSize))
	}
	if err != nil {
		err = fmt.Errorf("write the run's %s: %w", reserveFile, err)
	}
	return reserve{f}, err
}

// write writes how the agent ended.
func (r reserve) write(j runfolder.Journal) error {
	if r.file == nil {
		return nil
	}
	stored := storedEnding{Ended: j.Ended, End: j.End}
	data, err := json.Marshal(stored)
	if err == nil && len(data) > reserveSize {
		short := *stored.End
		short.Remarks, short.Result = nil, nil
		stored.End = &short
		data, err = json.Marshal(stored)
	}
	if err == nil {
		_, err = r.file.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = r.file.Write(data[:min(len(data), reserveSize)])
	}
	if err != nil {
		return fmt.Errorf("write how the run ended: %w", err)
	}
	return nil
}

func (r reserve) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// takeEnding reads the ending from the reserve file of a run's folder, if the journal could not
// be written at the end.
func takeEnding(j *runfolder.Journal, dir string) {
	var stored storedEnding
	data, err := safefile.Read(filepath.Join(dir, reserveFile), safefile.NoLink, reserveSize)
	if err != nil || j.Stage != runfolder.StageBegun || json.Unmarshal(data, &stored) != nil || stored.End == nil {
		return
	}
	j.Stage, j.End, j.Ended = runfolder.StageEnded, stored.End, stored.Ended
}

func sizeOf(name string) int64 {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}
