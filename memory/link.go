package memory

// LinkState says what became of a commit that an entry names. Amending,
// rebasing and squashing make another commit of it; the entry keeps the id
// it was written with.
type LinkState string

// What may have become of a commit.
const (
	LinkHere      LinkState = "here"      // HEAD or a branch leads to it
	LinkRewritten LinkState = "rewritten" // it lives on as another commit
	LinkGone      LinkState = "gone"      // no reference leads to it, nor to a commit made of it
	LinkUnknown   LinkState = "unknown"   // that could not be read, as in a shallow clone
)

// Link is a commit of an entry and what became of it.
type Link struct {
	ID    string    `json:"id"` // full, as the entry has it
	State LinkState `json:"state"`
	Now   string    `json:"now,omitempty"` // full id of the commit it lives on as, when it was rewritten
}
