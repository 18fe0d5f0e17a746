package purge

import (
	"os"
	"time"

	"agentflow/executor/turns"
)

// LastMove returns the time of the session's last activity, or zero if nothing of the session
// is left.
func LastMove(folder turns.Folder, st turns.State) time.Time {
	last, _ := folder.Turn()
	for _, name := range []string{st.Transcript, folder.Trace()} {
		if info, err := os.Stat(name); name != "" && err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
