// Package pgtest runs PostgreSQL servers for tests, from Debian's packages,
// each in a separate folder. They listen on a socket in that folder and on no
// port, and nothing is installed or left behind.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running or stopped server. Only one goroutine at a time may start
// or stop it.
type Server struct {
	dir    string
	bin    string
	child  *exec.Cmd
	output bytes.Buffer
	number atomic.Int32 // number of databases created
}

// ErrNone means that no PostgreSQL is installed.
var ErrNone = errors.New("no PostgreSQL is installed (Debian: apt-get install postgresql)")

// New creates a cluster in a new folder and starts it. The caller must call
// Remove.
func New(ctx context.Context) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "agentflow-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin}
	if err := s.make(ctx); err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return s, nil
}

func (s *Server) make(ctx context.Context) error {
	if err := giveAway(s.dir); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.Data(), "-U", "agentflow", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	asOther(c)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s.Start(ctx)
}

// Data returns the folder of the server's files.
func (s *Server) Data() string { return filepath.Join(s.dir, "data") }

// Start starts the server and waits until it answers.
func (s *Server) Start(ctx context.Context) error {
	args := []string{"-D", s.Data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=100"}
	s.child = exec.Command(filepath.Join(s.bin, "postgres"), append(args, strings.Fields(os.Getenv("AGENTFLOW_PG_OPTIONS"))...)...)
	s.child.Stdout, s.child.Stderr = &s.output, &s.output
	asOther(s.child)
	if err := s.child.Start(); err != nil {
		return fmt.Errorf("starting PostgreSQL: %w", err)
	}
	return s.await(ctx)
}

// startWait limits how long a server may take until it answers.
const startWait = 30 * time.Second

func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		c, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err == nil {
			tick.Stop()
			return c.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for PostgreSQL: %w", err)
		}
	}
}

// Kill kills the server, as if its machine were lost.
func (s *Server) Kill() error {
	err := killAll(s.child)
	_ = s.child.Wait()
	return err
}

// Remove ends the server and removes its folder.
func (s *Server) Remove() error {
	if s.child != nil && s.child.ProcessState == nil {
		_ = s.Kill()
	}
	return os.RemoveAll(s.dir)
}

// DSN returns the DSN of a database on the server.
func (s *Server) DSN(database string) string {
	return fmt.Sprintf("host=%s user=agentflow dbname=%s", s.dir, database)
}

// Database creates an empty database and returns its DSN.
func (s *Server) Database(ctx context.Context) (dsn string, err error) {
	c, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	name := fmt.Sprintf("test%d", s.number.Add(1))
	_, err = c.Exec(ctx, `CREATE DATABASE `+name)
	return s.DSN(name), err
}

// one is the server that the tests of a program share.
var one struct {
	sync.Mutex
	server *Server
}

// Run runs the tests and then removes the shared server. A TestMain passes its
// result to os.Exit.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	if one.server != nil {
		if err := one.server.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// Database creates an empty database on the server that the tests of this
// program share, and returns its DSN. The program's TestMain must call Run.
// Without PostgreSQL the test is skipped.
func Database(t testing.TB) (dsn string) {
	t.Helper()
	dsn, err := Shared(context.Background())
	if IsMissing(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// Shared is Database for callers without a test.
func Shared(ctx context.Context) (dsn string, err error) {
	one.Lock()
	defer one.Unlock()
	if one.server == nil {
		if one.server, err = New(ctx); err != nil {
			return "", err
		}
	}
	return one.server.Database(ctx)
}

// IsMissing reports whether an error means that PostgreSQL is not installed,
// and that this is acceptable: in CI it is not.
func IsMissing(err error) bool { return errors.Is(err, ErrNone) && os.Getenv("CI") == "" }

// Started starts a server for one test, which may kill it. Without PostgreSQL
// the test is skipped.
func Started(t testing.TB) *Server {
	t.Helper()
	s, err := New(context.Background())
	if IsMissing(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// programs returns the folder of the newest PostgreSQL's programs, or the one
// that AGENTFLOW_PG_BIN names.
func programs() (string, error) {
	if bin := os.Getenv("AGENTFLOW_PG_BIN"); bin != "" {
		return bin, nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the location in Debian
	if err != nil || len(found) == 0 {
		return "", ErrNone
	}
	return filepath.Dir(slices.Max(found)), nil
}
