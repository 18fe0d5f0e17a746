package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"agentflow/internal/repofile"
)

// reserveFile stands in a run's folder, filled with blanks, from the run's
// beginning. On a disk that has filled up meanwhile, how the agent ended is
// written over them: that takes no new room. Without it a run that succeeded
// would be found as one that was cut short.
const (
	reserveFile = "ending.json"
	reserveSize = 16 << 10 // bytes
)

// lastWords are what reserveFile holds in the end.
type lastWords struct {
	Ended time.Time `json:"ended"`
	End   *ending   `json:"end"`
}

// reserve makes the file.
func (r *Begun) reserve() {
	f, err := r.deps.disk.create(r.folder.file(reserveFile))
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{' '}, reserveSize))
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write the run's %s: %v", reserveFile, err))
	}
	r.reserved = f
}

// writeEnding writes how the agent ended over the reserve.
func (r *Begun) writeEnding() {
	if r.reserved == nil {
		return
	}
	words := lastWords{Ended: r.journal.Ended, End: r.journal.End}
	data, err := json.Marshal(words)
	if err == nil && len(data) > reserveSize {
		short := *words.End
		short.Remarks, short.Result = nil, nil
		words.End = &short
		data, err = json.Marshal(words)
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

// closeReserve lets go of the file.
func (r *Begun) closeReserve() error {
	if r.reserved == nil {
		return nil
	}
	f := r.reserved
	r.reserved = nil
	return f.Close()
}

// takeEnding takes over what the reserve says of a run whose journal could not
// be written any more.
func (r *Begun) takeEnding() {
	var words lastWords
	data, err := repofile.Read(r.folder.file(reserveFile), repofile.NoLink, reserveSize)
	if err != nil || r.journal.Stage != stageBegun || json.Unmarshal(data, &words) != nil || words.End == nil {
		return
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = stageEnded, words.End, words.Ended
}
