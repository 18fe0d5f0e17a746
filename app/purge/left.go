package purge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/kept"
	"agentflow/app/sharing"
	"agentflow/executor/turns"
	"agentflow/index/postgres"
	"agentflow/internal/proc"
	"agentflow/internal/safefile"
	"agentflow/internal/share/exchange"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/writeback"
)

// purged lists the files that a purge cleaned, and the places that it could not clean.
type purged struct {
	Cleaned []string // files
	Left    []api.Unreached
}

// unreached makes the description of a place where a purged text may remain.
func unreached(place, why, remedy string) api.Unreached {
	return api.Unreached{Place: place, Why: why, Remedy: remedy}
}

// unreachedPlaces lists the places where purged text remains or may remain, because a purge cannot remove it there.
func unreachedPlaces(s *app.Repo, report writeback.PurgeReport) []api.Unreached {
	return slices.Concat(LeftInMemory(s, report), LeftInSessions(s, report), leftWithUser(s, report), leftWithOthers(s, report), leftOutside(s, report))
}

// LeftInMemory lists the lines of memory that repeat the text, and the folders that cannot be searched because a line
// of the text is too short. For the user's own memory it also lists other repositories.
func LeftInMemory(s *app.Repo, report writeback.PurgeReport) (list []api.Unreached) {
	for _, place := range report.Elsewhere {
		list = append(list, unreached("memory/"+place, "another entry, or you, say the same there", "edit the file, or run 'agentflow forget --purge' on the item there"))
	}
	for _, line := range report.Text.Short() {
		list = append(list, unreached("folders of runs, sessions and conversations", fmt.Sprintf("the line %q is too short to be looked for", line), "'agentflow clean' removes old runs; 'grep -r' in "+s.State()+" finds it"))
	}
	if s.IsGlobal() {
		list = append(list, unreached("the Markdown, logs and run folders of other repositories where runs were shown it", "a purge looks through one repository", "in each of them 'agentflow search WORDS' finds what repeats it, and 'agentflow forget --purge ID' removes that"))
	}
	return list
}

// LeftInSessions lists the open sessions with the text, and the records that agents themselves keep.
func LeftInSessions(s *app.Repo, report writeback.PurgeReport) (list []api.Unreached) {
	sessions := slices.Clone(report.Sessions)
	for _, folder := range turns.All(app.SessionsFolder(s)) {
		st, err := folder.Known()
		if err != nil {
			continue
		}
		quoted := slices.ContainsFunc(report.Cleaned, folder.Holds)
		if holds, err := report.Text.InFile(st.Transcript); err == nil && holds {
			quoted = true
			sessions = slices.DeleteFunc(sessions, func(id string) bool { return id == st.Session })
			list = append(list, unreached(st.Transcript, fmt.Sprintf("%s keeps a record of session %s", st.Agent, memory.ShortID(st.Session)), "delete the file once the session has ended"))
		}
		if quoted && st.Ended.IsZero() && !turns.Abandoned(st, LastMove(folder, st), time.Now(), proc.Lives) {
			list = append(list, unreached(fmt.Sprintf("session %s of %s, which is open", memory.ShortID(st.Session), st.Agent), "the agent has the text in its conversation, and may say it again", "end the session, then search for the text again"))
		}
	}
	for _, id := range sessions {
		list = append(list, unreached("the agent's own files of session "+id, "AgentFlow does not know where they are", "delete them; Claude's are ~/.claude/projects/*/"+id+".jsonl"))
	}
	return list
}

// leftWithUser lists the user's settings files with the text, and the copies of them from before 'connect'.
func leftWithUser(s *app.Repo, report writeback.PurgeReport) (list []api.Unreached) {
	for _, path := range []string{s.ConfigFile(), s.Dirs.ConfigFile(), filepath.Join(s.State(), filepath.Base(s.ConfigFile()))} {
		if holds, err := report.Text.InFile(path); err == nil && holds {
			list = append(list, unreached(path, "settings are yours", "edit the file"))
		}
	}
	files, _ := os.ReadDir(filepath.Join(s.Dirs.State, "connect"))
	for _, f := range files {
		agent := strings.TrimSuffix(f.Name(), ".json")
		k, err := kept.ReadKept(s.Dirs.State, agent)
		if err == nil && slices.ContainsFunc(k.Files, func(f kept.KeptFile) bool { return report.Text.In(f.Before) }) {
			list = append(list, unreached(k.Path, "it holds your settings of "+agent+" as they were before 'connect'", "'agentflow disconnect "+agent+"' removes it"))
		}
	}
	return list
}

// leftWithOthers lists the same text in memory that others share, and the copies that have left this machine.
func leftWithOthers(s *app.Repo, report writeback.PurgeReport) (list []api.Unreached) {
	authors, _ := exchange.ReadAuthors(sharing.Mirror(s)) // sharing.Sources warns
	for _, a := range authors {
		for name, text := range filesBelow(filepath.Join(sharing.Mirror(s), "clones", string(a.ID))) {
			if report.Text.In(text) {
				list = append(list, unreached(sharing.Prefix(a)+name, quote.Name(a.Author)+" shares the same text", "ask them to run 'agentflow forget --purge' and 'agentflow sync'"))
			}
		}
	}
	if c, err := sharing.Read(s); err == nil && c != nil {
		list = append(list, unreached("the remote "+c.Remote+" and other clones", "each loses the text with its next sync; objects that no ref leads to stay on the remote until git collects them", "run 'agentflow sync' here, then in the other clones, and 'git gc --prune=now' where the remote is"))
	}
	return list
}

// filesBelow returns the contents of the regular files below a folder, by their relative names.
func filesBelow(dir string) map[string][]byte {
	files := map[string][]byte{}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if text, err := safefile.Read(path, safefile.NoLink, maxMirrored); err == nil {
				name, _ := filepath.Rel(dir, path)
				files[filepath.ToSlash(name)] = text
			}
		}
		return nil
	})
	return files
}

// maxMirrored bounds a file in the mirror of other clones, in bytes.
const maxMirrored = 64 << 20

// leftOutside lists the places that AgentFlow cannot reach.
func leftOutside(s *app.Repo, _ writeback.PurgeReport) []api.Unreached {
	list := []api.Unreached{
		unreached("commits and files of your own", "AgentFlow changes none of them", "'git log -S TEXT' finds commits; rewrite them with git filter-repo"),
		unreached("backups and copies of this folder, and what editors keep", "they are out of AgentFlow's sight", "delete them there"),
		unreached("the providers of models that were sent the text", "it has left this machine", "change it, if it is a secret"),
	}
	if s.Settings.Index.Store == postgres.Name {
		list = append(list, unreached("PostgreSQL's write-ahead log, replicas and backups", "the tables no longer hold the text, but the server keeps old files of its log and writes over them later", "nothing is needed for the log: about as much writing as 'SHOW min_wal_size' says replaces it; expire the backups"))
	}
	return list
}
