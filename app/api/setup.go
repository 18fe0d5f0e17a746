package api

// Setting is one setting with where its value came from.
type Setting struct {
	Key    string `json:"key"`    // section and name: recall.top
	Value  any    `json:"value"`  // as the settings file would have it
	Source string `json:"source"` // "default", a file's path, an environment variable or a flag
}

// Grade is the result of a check of the set-up.
type Grade string

// The grades.
const (
	GradeOK   Grade = "ok"
	GradeWarn Grade = "warn" // something works less well than it could
	GradeFail Grade = "fail" // something does not work
)

// Check is one check of the set-up.
type Check struct {
	Name   string `json:"name"`           // what was checked: agent, login, git, …
	Grade  Grade  `json:"grade"`          // ok, warn or fail
	Detail string `json:"detail"`         // what was found
	Hint   string `json:"hint,omitempty"` // what to do about it; absent where there is nothing to do
}

// Hook is one hook of git in one of the folders where git looks for hooks.
type Hook struct {
	Hook      string   `json:"hook"`      // its name: post-commit or post-rewrite
	State     string   `json:"state"`     // installed, outdated, changed, by hand, missing, broken, to be done or off
	Path      string   `json:"path"`      // of the file that is or would be ours
	Worktrees []string `json:"worktrees"` // the work trees whose commits it sees
	Manager   string   `json:"manager"`   // the hook manager that is at home there; empty: none
	Chained   string   `json:"chained"`   // the hook that was there before, which ours goes on to; empty: none
	Shared    bool     `json:"shared"`    // whether other repositories use the same folder
	Detail    string   `json:"detail"`    // what is odd about it; empty: nothing
	Add       string   `json:"add"`       // lines that only the user can add; empty: none
	AddTo     string   `json:"add_to"`    // the file that they belong in; empty: none
}
