// Package apptest makes repositories with a memory for the tests of package app and of the packages in it.
package apptest

import (
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
)

// Main runs the tests of a package. It isolates git, which operations run in this process, from the user's settings.
func Main(m *testing.M) {
	home, err := os.MkdirTemp("", "agentflow-app-")
	if err != nil {
		panic(err)
	}
	for _, pair := range labtest.Environ(home) {
		name, value, _ := strings.Cut(pair, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte(labtest.GitConfig), 0o600); err != nil {
		panic(err)
	}
	code := pgtest.Run(labtest.Main{M: m})
	os.RemoveAll(home)
	os.Exit(code)
}
