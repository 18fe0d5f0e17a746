package memory

import (
	"slices"
	"time"
)

// FactType is the kind of knowledge a fact is.
type FactType string

// The types of facts.
const (
	Semantic   FactType = "semantic"   // facts, preferences, conventions
	Episodic   FactType = "episodic"   // situation, action, outcome
	Procedural FactType = "procedural" // how something is done
)

// Known says whether it is one of them.
func (t FactType) Known() bool { return t == Semantic || t == Episodic || t == Procedural }

// PlainImportance is the importance of a fact to which nobody gave one.
const PlainImportance = 0.5

// ByHand is the source of a fact that a person wrote.
const ByHand = "hand"

// Fact is one thing worth knowing: a bullet in an entry or in MEMORY.md.
type Fact struct {
	ID           string // UUIDv7; empty for a bullet a person wrote by hand
	Type         FactType
	Importance   float64 // 0 to 1
	Confidence   float64 // how sure its source was, 0 to 1; 0: not known
	Tags         []string
	Category     string
	Key          string    // what it is about: two values for one key in one namespace contradict
	Namespace    string    // see Namespace's constants; empty: the project
	Supersedes   string    // id of the fact this one replaces
	Struck       bool      // no longer true: its text stands between ~~ and ~~
	SupersededBy string    // id of the fact that replaced it, where one did
	Merged       []Origin  // facts that said the same and were merged into this one
	Source       string    // id of the run it came from, ByHand, or what it was imported from
	Commit       string    // commit that was HEAD when it was said
	Created      time.Time // whole seconds, offset kept; zero: as its entry
	Updated      time.Time // last change of its text by a command; zero: never
	Expires      time.Time // not true from then on; zero: never
	Text         string    // may hold newlines
}

// Origin is what is kept of a fact that was merged into another: its id stays
// findable, and where it came from stays known.
type Origin struct {
	ID      string
	Source  string
	Commit  string
	Created time.Time
}

// Where a fact holds. GlobalNamespace is kept in the user's own memory, never
// in that of a repository.
const (
	ProjectNamespace = ""        // everywhere in the repository
	GlobalNamespace  = "global"  // in every repository of the user
	BranchNamespace  = "branch/" // followed by a branch's short name
	RunNamespace     = "run/"    // followed by a run's id
)

// ProjectName is what people write for ProjectNamespace.
const ProjectName = "project"

// NamespaceOf is the namespace that is meant: people may write the project's
// out.
func NamespaceOf(written string) string {
	if written == ProjectName {
		return ProjectNamespace
	}
	return written
}

// Live says whether the fact holds at a time: neither struck nor expired.
func (f Fact) Live(now time.Time) bool {
	return !f.Struck && (f.Expires.IsZero() || now.Before(f.Expires))
}

// Pinned says whether the fact has the tag that pin gives.
func (f Fact) Pinned() bool {
	return slices.Contains(f.Tags, PinnedTag)
}

// Counts says whether the fact holds in one of these namespaces, or in the
// whole project.
func (f Fact) Counts(namespaces []string) bool {
	return NamespaceOf(f.Namespace) == ProjectNamespace || slices.Contains(namespaces, f.Namespace)
}

// Redacted is the fact with all that people or agents wrote of it passed
// through redact, which takes secrets out; ids, commits and times stay.
func (f Fact) Redacted(redact func(string) string) Fact {
	f.Text, f.Category, f.Key = redact(f.Text), redact(f.Category), redact(f.Key)
	f.Namespace, f.Source = redact(f.Namespace), redact(f.Source)
	f.Tags = cloned(f.Tags)
	for i := range f.Tags {
		f.Tags[i] = redact(f.Tags[i])
	}
	return f
}

// IDs are the fact's own id and those of the facts merged into it.
func (f Fact) IDs() []string {
	var ids []string
	if f.ID != "" {
		ids = append(ids, f.ID)
	}
	for _, o := range f.Merged {
		if o.ID != "" {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// Has says whether id is the fact's own or one of a fact merged into it.
func (f Fact) Has(id string) bool {
	return id != "" && slices.Contains(f.IDs(), id)
}

// Normal is the fact as FormatFact writes it: see Entry.Normal.
func (f Fact) Normal() Fact {
	f.Tags = cloned(f.Tags)
	f.Importance, f.Confidence = normalShare(f.Importance), normalShare(f.Confidence)
	f.Created, f.Updated, f.Expires = FileTime(f.Created), FileTime(f.Updated), FileTime(f.Expires)
	f.Merged = cloned(f.Merged)
	for i, o := range f.Merged {
		f.Merged[i].Created = FileTime(o.Created)
	}
	f.Struck = f.Struck && f.Text != ""
	return f
}

// normalShare is x within 0 to 1; NaN is 0.
func normalShare(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// PinnedTag is the tag of a fact that does not age.
const PinnedTag = "pinned"
