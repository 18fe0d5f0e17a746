package settle

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/internal/atomicfile"
	"agentflow/memory"
)

// DeferredExtraction names a file that marks the folder of a run: facts are still to be
// extracted from its transcript. It is removed with the folder.
const DeferredExtraction = "extract.json"

// DeferredExtractionMark is the content of the file that marks a run for a later extraction.
type DeferredExtractionMark struct {
	Tries int `json:"tries"` // failed tries
}

// DeferredPath returns the path of the file that marks a run for a later extraction.
func DeferredPath(s *app.Repo, run string) string {
	return filepath.Join(s.Runs(), run, DeferredExtraction)
}

// DeferExtraction marks a run for the daemon's next pass.
func DeferExtraction(s *app.Repo, run string, tries int) error {
	data, err := json.Marshal(DeferredExtractionMark{tries})
	if err == nil {
		err = atomicfile.WriteHere(DeferredPath(s, run), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("leaving run %s to be learnt of: %w", memory.ShortID(run), err)
	}
	return nil
}

// DeferRecovered marks a run that a crash ended and a later command recorded.
func DeferRecovered(s *app.Repo, r executor.Recovered) (trouble []string) {
	if !s.Settings.Extract.Enabled || r.Record.RecordError != nil || r.Record.MemoryPath == "" {
		return nil
	}
	return app.AppendError(nil, DeferExtraction(s, r.ID, 0))
}
