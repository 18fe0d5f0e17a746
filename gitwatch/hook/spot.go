package hook

// State is how one hook stands.
type State string

// The states of a hook. Git calls ours in those from Installed to ByHand.
const (
	Installed State = "installed"
	Outdated  State = "outdated"   // of another version: install makes it new
	Changed   State = "changed"    // somebody edited it: it is left alone
	ByHand    State = "by hand"    // another hook, or a hook manager's settings, call ours
	Missing   State = "missing"    // install puts it there
	Broken    State = "broken"     // there, but to no effect: install puts it right
	Wanted    State = "to be done" // only the user can: Add says what
	Off       State = "off"        // git runs no hooks there at all
)

// Works says whether git calls ours.
func (s State) Works() bool {
	return s == Installed || s == Outdated || s == Changed || s == ByHand
}

// Spot is one hook in one of the folders where git looks for hooks.
type Spot struct {
	Hook      string   `json:"hook"`
	State     State    `json:"state"`
	Path      string   `json:"path"`      // of the file that is or would be ours
	Worktrees []string `json:"worktrees"` // the work trees whose commits it sees
	Manager   string   `json:"manager"`   // the hook manager that is at home there
	Chained   string   `json:"chained"`   // the hook that was there before, which ours goes on to
	Shared    bool     `json:"shared"`    // other repositories use the same folder
	Detail    string   `json:"detail"`    // what is odd
	Add       string   `json:"add"`       // what the user has to add by hand ...
	AddTo     string   `json:"add_to"`    // ... to this file

	folder folder
}
