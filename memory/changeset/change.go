// Package changeset defines what a run changed: a set of lists of changed paths, each with how sure it is
// that the run changed it, and the commits. It is pure. Git's answers become change sets in package
// gitwatch, and package memory/markdown writes them.
package changeset

import (
	"path"
	"path/filepath"
	"strings"
)

// Set records the changes of a run. Changes, Uncommitted and Meanwhile are sorted by path. A
// path is in at most one of Uncommitted and Meanwhile, unless others changed it too.
type Set struct {
	Branch   string   // short branch name at the start; empty when detached
	Worktree string   // name of the linked work tree; empty in the main one
	Base     string   // full id of HEAD at the start; empty when unborn
	Commits  []Commit // the run's commits, oldest first
	Messages []string // whole messages of those Commits that have a body, except copies; not stored
	Patch    []string // their stable patch ids, if known
	// PossibleCommits were made during the run, and perhaps by it: git traced no process that made
	// them, and a call of the run may have made them.
	PossibleCommits []Commit

	Changes     List // net effect of Commits
	Uncommitted List // net work-tree edits of the run, including those that another person has committed or stashed since
	Meanwhile   List // changes by others
	Elsewhere   List // files that the agent's file tools wrote outside of the run's working tree

	Remarks []string // one line each: "pulled 3 commits"
}

// AllUnread returns a set in which every list says why nothing could be read.
func (s Set) AllUnread(why string) Set {
	list := List{Unread: why}
	s.Changes, s.Uncommitted, s.Meanwhile = list, list, list
	return s
}

// Commit is one commit of a run: its full id and its subject line.
type Commit struct {
	ID      string `json:"id"`      // full id
	Subject string `json:"subject"` // first line of its message
}

// List is one of three answers: changed (Items is not empty), clean
// (both empty), or could not read (Unread says why).
type List struct {
	Items  []Change `json:"items,omitempty"`  // the changes
	Unread string   `json:"unread,omitempty"` // why git could not be read
}

// Change is one changed path, or one folder that stands for many.
type Change struct {
	Status  Status `json:"status"`             // one letter, as git's --name-status; * for a folder
	Path    string `json:"path"`               // relative to the work tree's root, '/' separated, any bytes; in Elsewhere: see PathElsewhere
	Tree    string `json:"tree,omitempty"`     // in Elsewhere: the working tree that holds Path, in the form of Path; empty outside of any
	OldPath string `json:"old_path,omitempty"` // for a rename or copy
	Added   int    `json:"added,omitempty"`    // lines; meaningful when Counted
	Deleted int    `json:"deleted,omitempty"`  // lines; meaningful when Counted
	Counted bool   `json:"counted,omitempty"`  // false: binary, over 10 MB, or no before-contents
	Files   int    `json:"files,omitempty"`    // for a folder: how many paths below Path changed
	Note    string `json:"note,omitempty"`     // said in brackets: "already changed before"
	Blob    string `json:"blob,omitempty"`     // what Path holds afterwards, in Changes and Uncommitted: see ShortBlob; empty when not known
	// Certainty says how sure it is that the run changed Path. It is empty in
	// Meanwhile, and of the commits that no run made. For a folder it is that of
	// the least certain path below.
	Certainty Certainty `json:"certainty,omitempty"`
}

// Where another person put an uncommitted change: how its Note begins.
const (
	NoteCommitted = "committed meanwhile"
	NotePart      = "partly committed meanwhile"
	NoteStashed   = "stashed meanwhile"
	NoteGone      = "not in the work tree at the end"
)

// NoteTakenAs begins a remark about a commit of another person that holds only changes of the entry, and
// has no message but its subject: "committed meanwhile as 9de23cc1a2b3: Subject".
const NoteTakenAs = NoteCommitted + " as "

// ShortTaken is the length of the commit's id in such a remark.
const ShortTaken = 12

// Taken reports whether the Note says where another person put the change.
func (c Change) Taken() bool {
	for _, begin := range []string{NoteCommitted, NotePart, NoteStashed, NoteGone} {
		if strings.HasPrefix(c.Note, begin) {
			return true
		}
	}
	return false
}

// Status is the letter of a change. In JSON it is a text.
type Status byte

// MarshalText returns the letter.
func (s Status) MarshalText() ([]byte, error) { return []byte{byte(s)}, nil }

// UnmarshalText sets the letter.
func (s *Status) UnmarshalText(text []byte) error {
	if len(text) > 0 {
		*s = Status(text[0])
	}
	return nil
}

// The letters of a change: those of git, and one for a folder that stands for many paths.
const (
	StatusAdded    Status = 'A'
	StatusModified Status = 'M'
	StatusDeleted  Status = 'D'
	StatusRenamed  Status = 'R'
	StatusCopied   Status = 'C'
	StatusType     Status = 'T' // file became a link, or the reverse
	StatusUnmerged Status = 'U'
	StatusFolder   Status = '*' // Path is a folder; Files paths below it changed
)

// Certainty says how sure it is that a run changed a path.
type Certainty string

// The certainties, the surest first.
const (
	// Shown: a tool event of the agent names the path as written, or the path
	// is in a commit that the run's own processes made.
	Shown Certainty = "shown"
	// Likely: the path last changed within a tool call of the run whose command or output names it
	// as written, and there is no evidence that others changed it. Or it changed in a work tree
	// that was made for the run.
	Likely Certainty = "likely"
	// Possible: the path changed while the run was at work, and there is no evidence that others
	// changed it. It is never undone without asking.
	Possible Certainty = "possible"
)

// Sure reports whether a change counts as the run's: Shown or Likely.
func (c Certainty) Sure() bool { return c == Shown || c == Likely }

// LeastCertain returns the certainty of two changes together. In lists without certainties, neither
// has one.
func LeastCertain(a, b Certainty) Certainty {
	switch {
	case a == b:
		return a
	case a.Sure() && b.Sure():
		return Likely
	}
	return Possible
}

// An entry keeps the beginning of the blob id of each path it changed. With it, the contents can be
// recognised in a commit that is made of them later: a squash, or a commit by hand. Together with
// the path, eight digits are enough for that, and they outlast the run's folder and git's garbage
// collection.
const blobDigits = 8

// NoBlob is the blob of a path that does not exist any more.
var NoBlob = strings.Repeat("0", blobDigits)

// ShortBlob returns the beginning of a blob id in hex, or of the id of the commit of a submodule.
// It returns "" for "".
func ShortBlob(id string) string { return id[:min(len(id), blobDigits)] }

// PathElsewhere returns the name of a file outside of a run's working tree: relative to root, which
// is the top of the repository's main working tree, or else absolute, with "~" for home. It is '/'
// separated. file, root and home are absolute. home may be empty.
func PathElsewhere(file, root, home string) string {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(home, file); home != "" && err == nil && filepath.IsLocal(rel) {
		return path.Join("~", filepath.ToSlash(rel))
	}
	return filepath.ToSlash(file)
}

// InTree returns Path relative to the top of Tree.
func (c Change) InTree() string { return strings.TrimPrefix(c.Path, treePrefix(c.Tree)) }

// PathInTree is the inverse of InTree.
func PathInTree(tree, path string) string { return treePrefix(tree) + path }

// treePrefix returns the prefix of the paths in a tree.
func treePrefix(tree string) string {
	if tree == "" || tree == "." {
		return ""
	}
	return tree + "/"
}

// Normal returns the change as FormatChange writes it: see Entry.Normal.
func (c Change) Normal() Change {
	if !c.Counted {
		c.Added, c.Deleted = 0, 0
	}
	if c.Status != StatusFolder {
		c.Files = 0
	}
	return c
}

// Normal returns the list as Format writes it. If run is true each path has a certainty, otherwise
// none has.
func (l List) Normal(run bool) List {
	l.Items = append([]Change(nil), l.Items...)
	for i, c := range l.Items {
		c = c.Normal()
		switch {
		case !run:
			c.Certainty = ""
		case !c.Certainty.Sure():
			c.Certainty = Possible
		}
		c.Tree = ""
		l.Items[i] = c
	}
	return l
}

// NormalElsewhere is Normal for Elsewhere, whose paths are in other trees.
func (l List) NormalElsewhere(run bool) List {
	out := l.Normal(run)
	for i := range out.Items {
		c := &out.Items[i]
		c.Blob = ""
		if c.Certainty == Likely {
			c.Certainty = Shown
		}
		if tree := l.Items[i].Tree; strings.HasPrefix(c.Path, treePrefix(tree)) {
			c.Tree = tree
		}
	}
	return out
}

// Some reports whether the list has items or could not be read.
func (l List) Some() bool { return len(l.Items) > 0 || l.Unread != "" }

// Redacted returns the list with redact applied to its names and remarks. Most lists hold nothing
// to redact, so it first checks all names at once.
func (l List) Redacted(redact func(string) string) List {
	l.Unread = redact(l.Unread)
	var all strings.Builder
	for _, c := range l.Items {
		all.WriteString(c.Path + "\n" + c.Tree + "\n" + c.OldPath + "\n" + c.Note + "\n")
	}
	if redact(all.String()) == all.String() {
		return l
	}
	items := make([]Change, len(l.Items))
	for i, c := range l.Items {
		c.Path, c.Tree, c.OldPath, c.Note = redact(c.Path), redact(c.Tree), redact(c.OldPath), redact(c.Note)
		items[i] = c
	}
	l.Items = items
	return l
}
