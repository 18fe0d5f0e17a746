package app

// Policy holds the rules that depend on who uses a memory and where. The zero value is for a user
// in their own clone. Policy is passed in with Access, and all rules about teams ask it.
type Policy struct {
	Team     bool   // the memory is a team's, on its server
	Remote   bool   // the caller is on another machine, as a client of that server is
	ReadOnly bool   // the caller may not write
	Person   string // the name of the caller, which facts that they store record; empty: the user, or the server itself
}

// HasOwnMemory reports whether the user's own memory is used besides that of the repository.
func (p Policy) HasOwnMemory() bool { return !p.Team }

// KeepsNotes reports whether agents may keep notes in files of their own.
func (p Policy) KeepsNotes() bool { return !p.Team }

// Hides reports whether items that others share can be hidden. That works in one clone only.
func (p Policy) Hides() bool { return !p.Team }

// CountsShared reports whether the items that people share count as items of this memory. On a
// team's server nearly all items are from others.
func (p Policy) CountsShared() bool { return p.Team }

// ShowsPaths reports whether answers have absolute paths, and other details of this machine.
func (p Policy) ShowsPaths() bool { return !p.Remote }

// HasAgents reports whether the agents of this machine, and the files that they read, are those of
// the caller.
func (p Policy) HasAgents() bool { return !p.Remote }
