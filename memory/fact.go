package memory

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// FactType is the kind of knowledge that a fact holds.
type FactType string

// The types of facts.
const (
	Semantic   FactType = "semantic"   // facts, preferences, conventions
	Episodic   FactType = "episodic"   // situation, action, outcome
	Procedural FactType = "procedural" // how something is done
)

// Known reports whether it is one of these types.
func (t FactType) Known() bool { return t == Semantic || t == Episodic || t == Procedural }

// PlainImportance is the importance of a fact that was stored without one.
const PlainImportance = 0.5

// ByHand is the source of a fact that a person wrote.
const ByHand = "hand"

// ImportedFrom is the prefix of the source of a fact that was read from another tool's
// file. The name of the file follows it.
const ImportedFrom = "import:"

// ByAgent is the source of a fact that an agent stored through a tool outside of
// a run.
const ByAgent = "agent"

// MostAgentImportance is the highest importance that an agent can give a fact which it stores
// through a tool or a tag. It is too low for MEMORY.md. Only a person or several runs bring a fact
// there.
const MostAgentImportance = 0.7

// Fact is one thing worth knowing: a bullet in an entry or in MEMORY.md. Its
// JSON is that of an export.
type Fact struct {
	ID           string    `json:"id,omitempty"`            // UUIDv7; empty for a bullet a person wrote by hand
	Type         FactType  `json:"type,omitempty"`          // semantic, episodic or procedural
	Importance   float64   `json:"importance,omitempty"`    // 0 to 1
	Confidence   float64   `json:"confidence,omitempty"`    // how sure its source was, 0 to 1; 0: not known
	Tags         []string  `json:"tags,omitempty"`          // in the order they were given
	Category     string    `json:"category,omitempty"`      // what it belongs to
	Key          string    `json:"key,omitempty"`           // what it is about: two values for one key in one namespace contradict
	Namespace    string    `json:"namespace,omitempty"`     // where it holds: branch/NAME, run/ID, team or global; empty: in the project
	Supersedes   string    `json:"supersedes,omitempty"`    // id of the fact this one replaces
	Struck       bool      `json:"struck,omitempty"`        // no longer true: its text stands between ~~ and ~~
	SupersededBy string    `json:"superseded_by,omitempty"` // id of the fact that replaced it, where one did
	Merged       []Origin  `json:"merged,omitempty"`        // facts that said the same and were merged into this one
	Source       string    `json:"source,omitempty"`        // id of the run it came from, "hand", or what it was imported from
	Agent        string    `json:"agent,omitempty"`         // agent that stored it through a tool, as it names itself; empty: none did
	Session      string    `json:"session,omitempty"`       // id of that agent's session, where it is known
	Person       string    `json:"person,omitempty"`        // who stored it through a team's server, as the server knows them; empty: nobody did
	Said         string    `json:"said,omitempty"`          // SaidOf the text as that agent wrote it: another text is a person's edit
	Edited       string    `json:"edited,omitempty"`        // "hand" where a person changed by command what somebody else had stored
	Reason       string    `json:"reason,omitempty"`        // why it is worth knowing, as the model says that found it, or the sentence that proposed it; on one line
	Commit       string    `json:"commit,omitempty"`        // commit that was HEAD when it was said
	Created      time.Time `json:"created,omitzero"`        // whole seconds, offset kept; zero: as its entry
	Updated      time.Time `json:"updated,omitzero"`        // last change of its text by a command; zero: never
	Expires      time.Time `json:"expires,omitzero"`        // not true from then on; zero: never
	Paths        []string  `json:"paths,omitempty"`         // patterns of the files that it is about, relative to the work tree; none: all files
	Text         string    `json:"text"`                    // may hold newlines
	Under        []string  `json:"under,omitempty"`         // in a person's text: the headings, introducing lines and parent items above it, the outermost first
}

// Origin records a fact that was merged into another, so that its id can still
// be found and its source is known.
type Origin struct {
	ID      string    `json:"id,omitempty"`     // the fact's
	Source  string    `json:"source,omitempty"` // as of a Fact
	Commit  string    `json:"commit,omitempty"` // as of a Fact
	Created time.Time `json:"created,omitzero"` // as of a Fact
}

// The namespaces in which a fact may hold. Facts of GlobalNamespace are kept in the user's own
// memory, never in that of a repository.
const (
	ProjectNamespace = ""        // everywhere in the repository
	GlobalNamespace  = "global"  // in every repository of the user
	TeamNamespace    = "team"    // in every repository of a team; kept in one of them, and shared with it
	BranchNamespace  = "branch/" // followed by a branch's short name
	RunNamespace     = "run/"    // followed by a run's id
)

// ProjectName is the name by which people write ProjectNamespace.
const ProjectName = "project"

// NamespaceOf returns the namespace that a person wrote: the project's may be
// written as ProjectName.
func NamespaceOf(written string) string {
	if written == ProjectName {
		return ProjectNamespace
	}
	return written
}

// Live reports whether the fact holds at a time: it is neither struck nor expired.
func (f Fact) Live(now time.Time) bool {
	return !f.Struck && (f.Expires.IsZero() || now.Before(f.Expires))
}

// Pinned reports whether the fact has the tag that pin sets.
func (f Fact) Pinned() bool {
	return slices.Contains(f.Tags, PinnedTag)
}

// HasTags reports whether the fact has each of the tags.
func (f Fact) HasTags(tags []string) bool {
	return !slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(f.Tags, tag) })
}

// ByPerson reports whether a person wrote, edited or pinned the fact. No agent
// changes, strikes or removes such a fact. If a fact in the entry of a run has no
// source, the caller fills in the run.
func (f Fact) ByPerson() bool {
	return f.Source == ByHand || f.Source == "" && f.Agent == "" || f.Edited == ByHand || f.Said != "" && f.Said != SaidOf(f.Text) || f.Pinned()
}

// Stated reports whether a person states the fact: a person wrote, edited, or pinned it, or had it
// imported. All other facts come from agents.
func (f Fact) Stated() bool { return f.ByPerson() || strings.HasPrefix(f.Source, ImportedFrom) }

// ByTool reports whether an agent stored or changed the fact through a tool, and no
// person took it over since.
func (f Fact) ByTool() bool { return (f.Agent != "" || f.Source == ByAgent) && !f.ByPerson() }

// OpenToAgents reports whether an agent may change the fact through a tool: an agent
// stored it through one, or it comes from a run. Imported facts are neither.
func (f Fact) OpenToAgents() bool { return f.ByTool() || IsID(f.Source) && !f.ByPerson() }

// Whole returns the text preceded by the lines in Under, for a place that does not show
// them: an item below "Never on production" means something else without that line.
func (f Fact) Whole() string {
	text := f.Text
	for _, above := range slices.Backward(f.Under) {
		if above == "" || says(text, above) {
			continue
		}
		between := ": "
		if startsBlock(text) {
			between = ":\n"
		}
		text = strings.TrimRight(above, ":： ") + between + text
	}
	return text
}

// says reports whether a text already contains the line above it: it begins with the
// line, or contains it before a colon.
func says(text, above string) bool {
	if len(text) >= len(above) && strings.EqualFold(text[:len(above)], above) {
		next, _ := utf8.DecodeRuneInString(text[len(above):])
		return !unicode.IsLetter(next) && !unicode.IsNumber(next)
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(above)+":")
}

// startsBlock reports whether a text begins with a list, a table or code, which need a
// line of their own.
func startsBlock(text string) bool {
	first, _, several := strings.Cut(text, "\n")
	digits := len(first) - len(strings.TrimLeft(first, "0123456789"))
	return several && (strings.HasPrefix(first, "|") || strings.HasPrefix(first, "```") || strings.HasPrefix(first, "~~~") ||
		digits > 0 && len(first) > digits && strings.ContainsAny(first[digits:digits+1], ".)"))
}

// Apart returns the fact for another place: the lines in Under are moved into its text, and
// a path among them into its Paths.
func (f Fact) Apart() Fact {
	if text := f.Whole(); text != f.Text {
		if f.Said == SaidOf(f.Text) {
			f.Said = SaidOf(text)
		}
		f.Text = text
	}
	f.Paths, f.Under = f.Scope(nil), nil
	return f
}

// Gist returns a key that is equal for facts that say the same in the same namespace. The
// project's namespace and the global one are the same here.
func (f Fact) Gist() string {
	place := NamespaceOf(f.Namespace)
	if f.Namespace == GlobalNamespace {
		place = ProjectNamespace
	}
	return place + "\x00" + Same(f.Whole())
}

// SaidOf returns a hash of the words of a text. It ignores the white space between them.
func SaidOf(text string) string {
	return HashID("said", strings.Join(strings.Fields(text), " "))[:8]
}

// Counts reports whether the fact holds in one of these namespaces, or in the whole project.
func (f Fact) Counts(namespaces []string) bool {
	return NamespaceOf(f.Namespace) == ProjectNamespace || slices.Contains(namespaces, f.Namespace)
}

// Redacted returns the fact with all text by people or agents passed through redact, which removes
// secrets. Ids, commits and times stay.
func (f Fact) Redacted(redact func(string) string) Fact {
	f.Text, f.Category, f.Key = redact(f.Text), redact(f.Category), redact(f.Key)
	f.Namespace, f.Source = redact(f.Namespace), redact(f.Source)
	f.Agent, f.Session, f.Reason = redact(f.Agent), redact(f.Session), redact(f.Reason)
	f.Tags, f.Paths, f.Under = cloned(f.Tags), cloned(f.Paths), cloned(f.Under)
	for _, list := range [][]string{f.Tags, f.Paths, f.Under} {
		for i := range list {
			list[i] = redact(list[i])
		}
	}
	return f
}

// IDs returns the fact's id and those of the facts merged into it.
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

// Has reports whether id is the fact's id or that of a fact merged into it.
func (f Fact) Has(id string) bool {
	return id != "" && slices.Contains(f.IDs(), id)
}

// Normal returns the fact as FormatFact writes it: see Entry.Normal.
func (f Fact) Normal() Fact {
	f.Tags, f.Paths = cloned(f.Tags), cloned(f.Paths)
	f.Importance, f.Confidence = normalShare(f.Importance), normalShare(f.Confidence)
	f.Created, f.Updated, f.Expires = FileTime(f.Created), FileTime(f.Updated), FileTime(f.Expires)
	f.Merged = cloned(f.Merged)
	for i, o := range f.Merged {
		f.Merged[i].Created = FileTime(o.Created)
	}
	f.Struck = f.Struck && f.Text != ""
	return f
}

// normalShare limits x to 0 to 1. NaN becomes 0.
func normalShare(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// PinnedTag is the tag of a fact that does not age.
const PinnedTag = "pinned"
