package contents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"agentflow/internal/safefile"
)

// Store reads the file that Update writes. Several goroutines may use it.
//
// It creates nothing and never waits for a writer: while Update writes, it sees
// the complete previous state. Not guaranteed: an answer at the moment when a
// file is removed or the state of a killed writer is recovered.
type Store struct {
	path string

	mu   sync.Mutex
	pool *sql.DB     // nil if not open
	file os.FileInfo // the file that pool has open
}

// OpenStore returns a Store for the file at path, which need not exist yet.
func OpenStore(path string) *Store { return &Store{path: path} }

// Close ends the use of the Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.close()
}

func (s *Store) close() error {
	pool := s.pool
	s.pool, s.file = nil, nil
	if pool == nil {
		return nil
	}
	return pool.Close()
}

// Find is Table.Find over the files that were read so far. If the file is
// absent, has another version, or cannot be read at the moment, Find returns an
// empty result without an error.
func (s *Store) Find(ctx context.Context, hashes []uint32) (f Found, err error) {
	err = s.read(ctx, func(c *sql.Conn) error {
		f, err = find(ctx, c, hashes)
		return err
	})
	if err != nil {
		f = Found{Terms: make([]Term, len(hashes)), Held: []int{}, Defined: []int{}}
	}
	return f, absentIsNil(err)
}

// Stats describes the contents of a Store.
type Stats struct {
	Files int
	Stems int   // each counted once for every file that holds it
	Bytes int64 // of the file
}

// Stats counts the contents of the Store.
func (s *Store) Stats(ctx context.Context) (out Stats, err error) {
	err = s.read(ctx, func(c *sql.Conn) error {
		rows, err := catalog(ctx, c)
		for _, r := range rows {
			out.Files, out.Stems = out.Files+r.files, out.Stems+r.held
		}
		return err
	})
	if info, absent := os.Stat(s.path); absent == nil {
		out.Bytes = info.Size()
	}
	return out, absentIsNil(err)
}

func absentIsNil(err error) error {
	if errors.Is(err, fs.ErrNotExist) || isUnready(err) {
		return nil
	}
	return err
}

// read runs f in a read transaction.
func (s *Store) read(ctx context.Context, f func(*sql.Conn) error) error {
	pool, err := s.open(ctx)
	if err != nil {
		return err
	}
	c, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer c.Close()
	if err := inTransaction(ctx, c, "DEFERRED", func() error { return f(c) }); err != nil {
		return fmt.Errorf("reading %s: %w", s.path, err)
	}
	return nil
}

// open opens the file that is at the path now. The error is fs.ErrNotExist if
// there is no file of this version.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Lstat(s.path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("reading %s: %w", s.path, safefile.ErrNotRegular) // opening a named pipe would wait for a writer
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.pool != nil && os.SameFile(info, s.file) {
		return s.pool, nil
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	pool, err := connect(s.path, mayRead)
	if err != nil {
		return nil, err
	}
	if err := isOurs(ctx, pool, s.path, info); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	s.pool, s.file = pool, info
	return pool, nil
}

// isOurs returns an error unless pool has opened the same file that was at path
// before, and the file has this version.
func isOurs(ctx context.Context, pool *sql.DB, path string, before os.FileInfo) error {
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := checkVersion(ctx, c); err != nil {
		if Damaged(err) {
			return errors.Join(fs.ErrNotExist, err) // the next Update replaces it
		}
		return err
	}
	now, err := os.Lstat(path)
	if err == nil && !os.SameFile(before, now) {
		err = fs.ErrNotExist
	}
	return err
}
