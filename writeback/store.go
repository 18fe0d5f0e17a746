package writeback

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/words"
	"agentflow/memory"
)

// Options say where memory is and how patient its writer may be.
type Options struct {
	Memory   string           // the folder of Markdown files; its parent is made too
	State    string           // log, lock, checkpoint and run folders
	Fallback string           // takes the log when State cannot be written; empty: none
	Now      func() time.Time // nil: time.Now
	Rand     io.Reader        // for new ids; nil: crypto/rand
	LockWait time.Duration    // how long an append waits for the lock; 0: 10 s
	Verb     string           // what this process is doing, for whoever waits on its lock
	// Same says whether two facts say the same, for Remember; nil: those of one
	// namespace whose texts are words.SameText.
	Same func(a, b memory.Fact) bool

	// Brought says which files below Memory the repository brought, and nobody
	// accepted: they are neither read nor written to, and are missed by nobody.
	// Nil: none.
	Brought func(file string) bool

	sys       system // nil: the operating system's
	rotateAt  int64  // 0: rotateAt
	mostTaken int64  // 0: MaxTaken
}

// Store writes one repository's memory. Its methods may be called from
// several goroutines and processes at once.
type Store struct {
	Options
	main, spare journal
}

// Open makes a Store; it touches no file.
func Open(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Memory) || !filepath.IsAbs(o.State) {
		return nil, fmt.Errorf("opening memory: folders must be absolute, have %q and %q", o.Memory, o.State)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.LockWait == 0 {
		o.LockWait = 10 * time.Second
	}
	if o.Verb == "" {
		o.Verb = "write"
	}
	if o.Brought == nil {
		o.Brought = func(string) bool { return false }
	}
	if o.Same == nil {
		o.Same = sameText
	}
	if o.mostTaken == 0 {
		o.mostTaken = MaxTaken
	}
	if o.rotateAt == 0 {
		o.rotateAt = rotateAt
	}
	if o.sys == nil {
		o.sys = disk{}
	}
	return &Store{Options: o, main: journal{o.State, o.sys, true}, spare: journal{o.Fallback, o.sys, false}}, nil
}

func sameText(a, b memory.Fact) bool {
	return memory.NamespaceOf(a.Namespace) == memory.NamespaceOf(b.Namespace) && words.SameText(a.Text) == words.SameText(b.Text)
}

// append puts records into the log of State, or of Fallback when that cannot
// be written: then spare is true and err says why.
func (s *Store) append(ctx context.Context, durable bool, records ...record) (at stretch, spare bool, err error) {
	at, err = s.main.append(ctx, durable, records...)
	if err == nil || s.Fallback == "" || ctx.Err() != nil {
		return at, false, err
	}
	if _, e := s.spare.append(ctx, durable, records...); e != nil {
		return stretch{}, false, errors.Join(err, e)
	}
	return stretch{}, true, err
}

// spareLogged says whether anything waits in the log of Fallback.
func (s *Store) spareLogged() bool {
	if s.Fallback == "" {
		return false
	}
	info, err := os.Stat(s.spare.log())
	return err == nil && info.Size() > 0
}

// Prepare makes the folders and .agentflow/.gitignore where they are missing:
// 0700 and 0600. It changes nothing that is there, but for a .gitignore that is
// empty: whoever wants memory in git says so in it, if only with a comment. It
// refuses a memory folder that a symlink leads out of the work tree.
func (s *Store) Prepare() error {
	root := filepath.Dir(s.Memory)
	if err := s.inside(root); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	if err := s.sys.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	if err := s.ignore(filepath.Join(root, ".gitignore")); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	if err := s.inside(s.Memory); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	if err := s.sys.MkdirAll(s.Memory, 0o700); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

// Init is Prepare, and a MEMORY.md for durable facts when there is none.
func (s *Store) Init() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	if err := s.create(filepath.Join(s.Memory, memory.LastingFile), "# "+memory.FileTitle(memory.LastingFile)+"\n"); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

// ignoring is what keeps memory out of git.
const ignoring = "*\n"

// ignore makes the .gitignore, or fills an empty one.
func (s *Store) ignore(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return s.create(path, ignoring)
	}
	f, err := s.sys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, ignoring)
	return errors.Join(err, f.Close())
}

// create makes a file that is not there yet.
func (s *Store) create(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := s.sys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}
