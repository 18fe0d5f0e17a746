package prompt

import (
	"path"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// maxNamed limits how many paths of a task are used.
const maxNamed = 100

// PlacesOf returns where the work on a task happens: the folder it is done in, relative to
// the work tree, the paths that the task names, and the likely files that are sure.
func PlacesOf(folder, task string, files []retrieval.LikelyFile) memory.Places {
	p := memory.Places{Folders: []string{folder}}
	for word := range strings.FieldsSeq(task) {
		name, isFolder := namedPath(word)
		switch {
		case len(p.Folders)+len(p.Files) > maxNamed:
			continue
		case isFolder:
			p.Folders = append(p.Folders, name)
		case name != "":
			p.Files = append(p.Files, name)
		}
	}
	for _, f := range files {
		if f.Sure {
			p.Files = append(p.Files, f.Path)
		}
	}
	return p
}

// namedPath returns a word of a task as a path, if it contains '/' or ends as the name
// of a file does. A word that ends in '/' is a folder. For other words name is empty.
func namedPath(word string) (name string, folder bool) {
	word = strings.Trim(strings.ReplaceAll(word, `\`, "/"), "`'\"()[]{}<>,;:!?*@")
	if strings.Contains(word, "://") {
		return "", false
	}
	name = strings.TrimRight(word, ".")
	folder = strings.HasSuffix(name, "/")
	name, _, _ = strings.Cut(path.Clean(name), ":") // a line may follow
	name, _, _ = strings.Cut(name, "#")             // so may one in a link
	name = strings.TrimPrefix(name, "/")
	if ext := path.Ext(name); name == ext || len(ext) < 2 && !strings.Contains(word, "/") {
		return "", false
	}
	return name, folder
}

// scoped returns the facts that are shown for work in some places, each that has Paths with
// the one For which it is shown, and the other facts.
func scoped(facts []Fact, places memory.Places) (shown, hidden []Fact) {
	for _, f := range facts {
		var ok bool
		if f.For, ok = places.Meeting(f.Paths); ok || len(f.Paths) == 0 {
			shown = append(shown, f)
		} else {
			hidden = append(hidden, f)
		}
	}
	return shown, hidden
}

// loneChance is the least chance of a file that brings in facts where nothing else of memory
// speaks for it.
const loneChance = 0.5

// agreed returns the sure files that bring in the facts about them: one that no entry and no
// other file agrees with only if it is likelier than not.
func (in *Input) agreed() []retrieval.LikelyFile {
	sure := slices.DeleteFunc(slices.Clone(in.Files), func(f retrieval.LikelyFile) bool { return !f.Sure })
	if len(sure) == 1 && len(in.Hits) == 0 && sure[0].Chance < loneChance {
		return nil
	}
	return sure
}

// inScope splits the facts and notes of an input, and returns the hidden ones of both.
func (in *Input) inScope() (hidden []Fact) {
	places := PlacesOf(in.Folder, in.Task, in.agreed())
	var facts, notes []Fact
	in.Facts, facts = scoped(in.Facts, places)
	in.Notes, notes = scoped(in.Notes, places)
	return slices.Concat(facts, notes)
}
