package markdown

import "agentflow/memory"

// The labels of bullets in version 2.
const (
	labelAsked       = "asked:"
	labelFailed      = "failed:"
	labelPrinted     = "printed:" // errors of a run that went well
	labelChanged     = "changed:"
	labelUncommitted = "uncommitted:"
	labelMeanwhile   = "meanwhile:"
	labelElsewhere   = "elsewhere:"
	labelCommit2     = "commit:"
	labelDenied2     = "denied:"
	labelChecks      = "checks:"
	labelNote2       = "note:"
	labelUndone2     = "undone:"
)

const (
	heading2Time = "15:04"
	revertedBy   = ", reverted by "
)

// endings maps an outcome to the end of a heading.
var endings = map[memory.Outcome]string{
	memory.OutcomeFailed: ": failed", memory.OutcomeTimeout: ": timed out", memory.OutcomeInterrupted: ": interrupted",
	memory.OutcomeNotStarted: ": not started", memory.OutcomeDiscussed: ": discussed",
}

// A fileKind is one of an entry's four lists of files.
type fileKind struct {
	label  string // in front of the list
	unread string // in front of the reason why it could not be read
	more   string // key of the comment for the files that do not fit
}

var (
	listChanges     = fileKind{labelChanged, labelChanged, "more"}
	listUncommitted = fileKind{labelChanged, labelUncommitted, "moreleft"}
	listMeanwhile   = fileKind{labelMeanwhile, labelMeanwhile, "moremeanwhile"}
	listElsewhere   = fileKind{labelElsewhere, labelElsewhere, "moreelsewhere"}
)
