package app

import (
	"bytes"
	"os"
	"path/filepath"

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// maxConfigCopy is the size in bytes above which no copy of a settings file is
// kept: a person writes a few KB.
const maxConfigCopy = 256 << 10

// keepConfig keeps a copy of the repository's settings beside the log, where
// 'git clean' does not reach, and puts it back when the memory folder had
// vanished and was restored. Settings that are taken out alone stay out.
func (s *openMemory) keepConfig(restored bool) {
	if s.CommonDir == "" || !isDir(s.State()) {
		return
	}
	file, spare := s.ConfigFile(), filepath.Join(s.State(), "config.toml")
	copied, err := repofile.Read(spare, repofile.NoLink, maxConfigCopy)
	if err != nil && !repofile.IsAbsent(err) {
		return
	}
	now, err := repofile.Read(file, repofile.NoLink, maxConfigCopy)
	switch {
	case err == nil && !bytes.Equal(now, copied):
		_ = atomicfile.Write(spare, now, 0o600) // the next command tries again
	case repofile.IsAbsent(err) && restored && len(copied) > 0:
		if err := writeOnce(file, string(copied)); err != nil {
			s.degraded("recover", []string{"the settings that vanished with memory are not back: " + err.Error()})
			return
		}
		s.say("restored the settings in %s, which had vanished too; they count from the next command on", file)
	case repofile.IsAbsent(err):
		_ = os.Remove(spare)
	}
}
