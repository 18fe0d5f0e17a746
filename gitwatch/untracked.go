package gitwatch

import "errors"

// untracked visits a folder in which nothing is tracked. A nested repository
// is not entered.
func (v *visits) untracked(path string) {
	d, err := v.tree.open(path)
	if errors.Is(err, errNoFolder) {
		return // it went since it was listed
	}
	if err != nil {
		v.problem(path, err)
		return
	}
	defer d.close()
	names, err := v.names(path, d, 0)
	if err != nil {
		v.problem(path, err)
		return
	}
	if names.git && isRepository(d.path) {
		v.hide(path)
		return
	}
	for _, name := range names.folders {
		v.enter(path + name)
	}
	for name := range names.each() {
		v.file(path, string(name), d)
	}
}

// enter notes an untracked folder to be visited, unless it is ignored.
func (v *visits) enter(path string) {
	if isOwn(path) {
		return
	}
	if v.ignored(path, true) {
		v.hide(path + "/")
		return
	}
	v.mu.Lock()
	v.next = append(v.next, path+"/")
	v.mu.Unlock()
}

// file notes an untracked file, unless it is ignored.
func (v *visits) file(folder, name string, d *openDir) {
	path := folder + name
	if isOwn(path) {
		return
	}
	if v.ignored(path, false) {
		v.hide(path)
		return
	}
	st, err := d.stat(name)
	if err != nil {
		v.problem(path, err)
	}
	if !st.there || st.kind == kindFolder {
		return // it went, or changed, since the folder was listed
	}
	v.mu.Lock()
	v.found = append(v.found, otherPath{path: path, stat: st, untracked: true})
	v.mu.Unlock()
}

// ignored asks the rules about a path. Where they cannot be read, nothing is
// taken for ignored.
func (v *visits) ignored(path string, isDir bool) bool {
	ignored, err := v.ignores.ignored(path, isDir)
	if err != nil {
		v.problem(path, err)
	}
	return ignored
}
