package edits

// Claim is what may be done with a change that was made during a run.
type Claim int

// The claims, by what undo does.
const (
	// Own changes are the run's: they are taken back. Where somebody else's
	// change is inside (MixedYes), that is refused.
	Own Claim = iota
	// Open changes may be somebody else's, or hold somebody else's: they are
	// taken back only when somebody says so.
	Open
	// OnlyCommitted changes are somebody else's that the run committed. They
	// are never taken back.
	OnlyCommitted
)

// Claim says which the change is.
func (e Change) Claim() Claim {
	switch {
	case e.Mixed == MixedSwept:
		return OnlyCommitted
	case e.Certainty.Sure() && e.Mixed != MixedUnknown:
		return Own
	}
	return Open
}
