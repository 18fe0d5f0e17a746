package apptest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app/forget"
)

// Forget takes the items that refs name out of memory.
func (u *ToolUser) Forget(purge bool, refs ...string) {
	u.T.Helper()
	plan := Must(forget.PlanForget(u.T.Context(), u.M, forget.Request{IDs: refs, Purge: purge}))(u.T)
	Must(forget.ApplyForget(u.T.Context(), u.M, plan))(u.T)
}

// Nowhere requires that no file of the repository holds a text.
func (u *ToolUser) Nowhere(text string) {
	u.T.Helper()
	err := filepath.WalkDir(u.Repo, func(path string, item fs.DirEntry, err error) error {
		if err != nil || !item.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) || strings.Contains(path, text) {
			u.T.Errorf("%s holds %q", path, text)
		}
		return err
	})
	if err != nil {
		u.T.Fatal(err)
	}
}
