package index

// State says what an index file is to this program.
type State int

// The states of an index.
const (
	Absent  State = iota // no file, or one that nothing was written to
	Current              // ours, of this version
	Stale                // written by an older version, or with other chunk settings
	Newer                // written by a newer version
	Damaged              // unreadable, or not an index
)

func (s State) String() string {
	return [...]string{"absent", "current", "stale", "newer", "damaged"}[s]
}

// probe is what was seen of an index file.
type probe struct {
	empty    bool  // no file, no bytes, or a database without a table
	err      error // reading it found damage
	appID    int
	version  int
	identity string
}

// decide names the state of what was seen, and says in words why when it is
// not Current. It is the only place that does.
func decide(p probe, identity string) (State, string) {
	switch {
	case p.empty:
		return Absent, "there was none"
	case p.err != nil:
		return Damaged, "it was damaged (" + p.err.Error() + ")"
	case p.appID != appID:
		return Damaged, "the file was not an index of agentflow"
	case p.version > schemaVersion:
		return Newer, "it was written by a newer version"
	case p.version < schemaVersion:
		return Stale, "it was written by an older version"
	case p.identity != identity:
		return Stale, "texts are cut differently now"
	}
	return Current, ""
}
