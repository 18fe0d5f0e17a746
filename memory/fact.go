package memory

import (
	"strings"
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

// PlainImportance is that of a fact to which nobody gave one.
const PlainImportance = 0.5

// ByHand is the source of a fact that a person told.
const ByHand = "hand"

// Fact is one thing worth knowing: a bullet in an entry or in MEMORY.md.
type Fact struct {
	ID           string // UUIDv7; empty for a bullet a person wrote by hand
	Type         FactType
	Importance   float64 // 0 to 1
	Confidence   float64 // how sure its source was, 0 to 1; 0 where nobody said
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
	Updated      time.Time // last change of its text by a verb; zero: never
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
	for _, t := range f.Tags {
		if t == pinnedTag {
			return true
		}
	}
	return false
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
	if id == "" {
		return false
	}
	if f.ID == id {
		return true
	}
	for _, o := range f.Merged {
		if o.ID == id {
			return true
		}
	}
	return false
}

// strikeMark begins and ends the text of a fact that holds no longer, as
// Markdown strikes text through.
const strikeMark = "~~"

// struckText takes the marks off a bullet's text, still escaped.
func struckText(lines []string) bool {
	last := len(lines) - 1
	first, ok := strings.CutPrefix(lines[0], strikeMark)
	if !ok || last == 0 && !strings.HasSuffix(first, strikeMark) || !strings.HasSuffix(lines[last], strikeMark) {
		return false
	}
	if last == 0 && first == strikeMark {
		return false // nothing is struck
	}
	lines[0] = first
	lines[last] = strings.TrimSuffix(lines[last], strikeMark)
	return true
}

// strike escapes a fact's text so that the marks are there if, and only if,
// it is struck.
func strike(text string, struck bool) string {
	if !struck {
		if strings.HasPrefix(text, strikeMark) {
			return `\` + text
		}
		return text
	}
	if strings.HasPrefix(text, "~") {
		text = `\` + text // three would open a code fence
	}
	return strikeMark + text + strikeMark
}
