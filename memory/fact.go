package memory

// FactType is the kind of knowledge a fact is.
type FactType string

// The types of facts.
const (
	Semantic   FactType = "semantic"   // facts, preferences, conventions
	Episodic   FactType = "episodic"   // situation, action, outcome
	Procedural FactType = "procedural" // how something is done
)

// Fact is one thing worth knowing: a bullet in an entry or in MEMORY.md.
type Fact struct {
	ID         string // UUIDv7; empty for a bullet a person wrote by hand
	Type       FactType
	Importance float64 // 0 to 1
	Tags       []string
	Key        string // what it is about: two values for one key contradict
	Supersedes string // id of the fact this one replaces
	Source     string // id of the run it came from, or "hand"
	Commit     string // commit that was HEAD when it was said
	Text       string // may hold newlines
}
