package settle

import (
	"slices"

	"agentflow/app/api"
	"agentflow/gitwatch/history"
	"agentflow/memory"
)

// BackfillLast limits the commits of a first backfill.
const BackfillLast = 500

// maxMissed limits the commits with missing objects in the report.
const maxMissed = 100

// Readable returns the commits that get an entry. Merges without changes of their own get none, and
// neither do commits without a readable date or list of files. The report names the commits with
// missing objects.
func Readable(commits []history.Commit, report *api.BackfillReport) []history.Commit {
	return slices.DeleteFunc(commits, func(c history.Commit) bool {
		if c.Joins() {
			report.Merges++
			return true
		}
		missed := api.MissedCommit{Commit: c.ID, Title: memory.Title(c.Subject), Unread: c.Unread == history.NoFiles, Undated: c.Time.IsZero()}
		switch {
		case missed.Undated:
			report.Undated++
		case missed.Unread:
			report.Unread++
		case c.Uncounted:
			report.Uncounted++
		default:
			return false
		}
		if len(report.Missing) < maxMissed {
			report.Missing = append(report.Missing, missed)
		}
		return missed.Undated || missed.Unread
	})
}
