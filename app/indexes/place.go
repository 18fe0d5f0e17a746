package indexes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/app"
	"agentflow/index"
	"agentflow/index/postgres"
	"agentflow/internal/safefile"
)

// indexPlace returns where the index is kept: in a database server, or in the file at path. Path "" means in memory.
// Notices say why the index is not where settings put it.
func indexPlace(ctx context.Context, s *app.Repo) (path string, server index.Server, notices []string) {
	if !s.HasMemory() {
		return "", server, nil // an operation that only reads creates no index
	}
	if s.Settings.Index.Store == postgres.Name {
		server, err := indexServer(s)
		return "", server, app.AppendError(nil, err)
	}
	path = s.Index()
	switch {
	case safefile.LeadsOutside(filepath.Dir(path), filepath.Dir(s.Root)):
		return "", server, []string{fmt.Sprintf("%s leads outside the repository: the index is kept in memory", filepath.Dir(path))}
	case app.UntrustedPart(ctx, s).State():
		return "", server, []string{fmt.Sprintf("%s came with the repository: the index is kept in memory", filepath.Dir(path))}
	}
	return path, server, nil
}

// indexServer returns the database that settings name.
func indexServer(s *app.Repo) (server index.Server, err error) {
	c := s.Settings.Index
	server = index.Server{Store: c.Store, DSN: s.Getenv(c.DSNEnv), Repository: c.Name}
	if server.DSN == "" && s.Getenv("PGHOST") == "" && s.Getenv("PGSERVICE") == "" {
		return index.Server{}, fmt.Errorf("the index is kept in memory: set %s, which dsn_env in [index] names, to the DSN of the database", c.DSNEnv)
	}
	if c.ReadDSNEnv != "" {
		if server.ReadDSN = s.Getenv(c.ReadDSNEnv); server.ReadDSN == "" {
			return index.Server{}, fmt.Errorf("the index is kept in memory: the variable %s, which read_dsn_env in [index] names, is not set", c.ReadDSNEnv)
		}
	}
	if server.Repository == "" || s.IsGlobal() { // the setting is no name for the user's own memory
		host, err := os.Hostname()
		if err != nil {
			return index.Server{}, fmt.Errorf("the index is kept in memory: %w", err)
		}
		server.Repository = host + ":" + s.Root
	}
	return server, nil
}
