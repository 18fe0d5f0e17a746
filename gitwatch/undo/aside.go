package undo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// asideName begins the names of the folders, in a run's folder, that hold files
// as an undo found them.
const asideName = "undone"

// findOnlyCopies finds the files which the plan takes away or overwrites and
// whose bytes are neither in git nor among those the run kept: undo keeps them,
// so that nothing goes that could not be given back.
func (u *Plan) findOnlyCopies(ctx context.Context) error {
	kept := map[string]bool{}
	for _, p := range u.paths {
		for _, f := range p.expected() {
			kept[f.Kept] = true
		}
	}
	byID := map[string][]*pathPlan{}
	for _, p := range u.paths {
		switch {
		case !p.works() || !p.now.Exists():
		case p.now.Raw == "":
			p.aside = true // too large to have been looked at
		case !kept[p.now.Raw]:
			byID[p.now.Raw] = append(byID[p.now.Raw], p)
		}
	}
	if len(byID) == 0 {
		return nil
	}
	var ids strings.Builder
	for id := range byID {
		ids.WriteString(id + "\n")
	}
	out, err := git.Ask(ctx, u.repo.Root(), strings.NewReader(ids.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		id, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, p := range byID[id] {
			p.aside = kind != "blob"
		}
	}
	return nil
}

// spare is where a file is put that gives way: among the temporary files under
// a name, or, for the only copy of its bytes, where it stays.
func (u *Plan) spare(p *pathPlan, name string) (string, error) {
	if !p.aside {
		return u.scratch.file(name), nil
	}
	if u.Aside == "" {
		if err := u.makeAside(); err != nil {
			return "", err
		}
	}
	full := filepath.Join(u.Aside, filepath.FromSlash(p.path))
	return full, os.MkdirAll(filepath.Dir(full), 0o700)
}

// makeAside makes a new folder in the run's, which may be gone.
func (u *Plan) makeAside() error {
	if err := os.MkdirAll(u.request.Dir, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		dir := filepath.Join(u.request.Dir, asideName)
		if n > 1 {
			dir += fmt.Sprint("-", n)
		}
		err := os.Mkdir(dir, 0o700)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			u.Aside = dir
		}
		return err
	}
}

// dropAside removes the folder where nothing was put aside after all.
func (u *Plan) dropAside() {
	if u.Aside == "" {
		return
	}
	removeEmpty(u.Aside)
	if _, err := os.Lstat(u.Aside); err != nil {
		u.Aside = ""
	}
}
