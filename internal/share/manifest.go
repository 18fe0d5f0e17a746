package share

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
)

// What is the part of a memory that is shared.
type What string

// The parts. Each includes the ones before it.
const (
	Facts   What = "facts"
	Entries What = "entries"
	All     What = "all" // also hand-written text and the notes of agents
)

// Known reports whether w is one of these constants.
func (w What) Known() bool { return w == Facts || w == Entries || w == All }

// CloneID names a clone: 32 hexadecimal digits, the first half of the SHA-256 of its key.
type CloneID string

// IDOf returns the id of the clone with a key.
func IDOf(key ed25519.PublicKey) CloneID {
	sum := sha256.Sum256(key)
	return CloneID(hex.EncodeToString(sum[:16]))
}

// IsID reports whether a name has the form of an id.
func IsID(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == 16 && strings.ToLower(name) == name
}

// Manifest describes the files that a clone shares.
type Manifest struct {
	Key      ed25519.PublicKey
	Author   string // as git names the user; one line
	Sequence uint64 // increases by one with each change
	Purged   uint64 // earlier states hold text that was purged: the ref must not lead to them; 0: there are none
	Time     time.Time
	What     What
	Files    []File // sorted by name, without the manifest
	Raw      []byte // the signed bytes, in a manifest that was read
}

// File is one file of a folder.
type File struct {
	Name string
	Sum  [sha256.Size]byte
	Size int64 // in bytes
}

// FileOf returns the File of a file's contents.
func FileOf(name string, data []byte) File { return File{name, sha256.Sum256(data), int64(len(data))} }

// ID returns the clone's id.
func (m *Manifest) ID() CloneID { return IDOf(m.Key) }

// version is the first line of a manifest.
const version = "agentflow-share 1"

// The names of the files of a folder that are not Markdown.
const (
	ManifestFile  = "manifest"
	ForgottenFile = "forgotten"
)

// text returns the manifest up to its signature.
func (m *Manifest) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nkey %x\nauthor %s\nsequence %d\npurged %d\ntime %s\nwhat %s\n", version, []byte(m.Key), m.Author, m.Sequence, m.Purged, m.Time.UTC().Format(time.RFC3339), m.What)
	for _, f := range m.Files {
		fmt.Fprintf(&b, "file %x %d %s\n", f.Sum, f.Size, f.Name)
	}
	return b.Bytes()
}

// Sign returns the manifest with a signature by key, which must be the private key of m.Key.
func (m *Manifest) Sign(key ed25519.PrivateKey) []byte {
	text := m.text()
	return fmt.Appendf(text, "signature %x\n", ed25519.Sign(key, text))
}

// Errors of reading a manifest.
var (
	ErrManifest  = errors.New("the manifest cannot be read")
	ErrSignature = errors.New("the signature is wrong")
	ErrNewer     = errors.New("a newer version of agentflow wrote it")
)

// maxAuthor limits the name of an author, in bytes.
const maxAuthor = 100

// ReadManifest reads a manifest as Sign writes it, and verifies its signature.
func ReadManifest(src []byte) (*Manifest, error) {
	text, last, ok := bytes.Cut(src, []byte("\nsignature "))
	text = append(text[:len(text):len(text)], '\n')
	if !bytes.HasPrefix(src, []byte(version+"\n")) {
		if bytes.HasPrefix(src, []byte("agentflow-share ")) {
			return nil, ErrNewer
		}
		return nil, ErrManifest
	}
	m, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if !bytes.Equal(m.text(), text) {
		return nil, fmt.Errorf("%w: it is not as it would be written", ErrManifest)
	}
	signature, err := hex.DecodeString(strings.TrimSuffix(string(last), "\n"))
	if err != nil || !ok || !ed25519.Verify(m.Key, text, signature) {
		return nil, ErrSignature
	}
	m.Raw = src
	return m, nil
}

// parse reads the lines before the signature.
func parse(text []byte) (*Manifest, error) {
	m := &Manifest{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxManifest)
	for _, name := range []string{"agentflow-share", "key", "author", "sequence", "purged", "time", "what"} {
		if !lines.Scan() {
			return nil, fmt.Errorf("the line %q is missing", name)
		}
		found, value, _ := strings.Cut(lines.Text(), " ")
		if found != name {
			return nil, fmt.Errorf("the line %q is missing", name)
		}
		if err := m.set(name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	last := ""
	for lines.Scan() {
		f, err := fileOf(lines.Text())
		if err != nil {
			return nil, err
		}
		if f.Name <= last {
			return nil, fmt.Errorf("the file %q is out of order", f.Name)
		}
		last = f.Name
		m.Files = append(m.Files, f)
	}
	return m, lines.Err()
}

func (m *Manifest) set(name, value string) (err error) {
	switch name {
	case "key":
		m.Key, err = hex.DecodeString(value)
		if err == nil && len(m.Key) != ed25519.PublicKeySize {
			err = errors.New("of another length")
		}
	case "author":
		if m.Author = value; value != AuthorName(value) {
			err = errors.New("no name")
		}
	case "sequence":
		m.Sequence, err = strconv.ParseUint(value, 10, 63)
	case "purged":
		m.Purged, err = strconv.ParseUint(value, 10, 63)
	case "time":
		m.Time, err = time.Parse(time.RFC3339, value)
	case "what":
		if m.What = What(value); !m.What.Known() {
			err = errors.New("none that is known")
		}
	}
	return err
}

// fileOf reads the line of a file.
func fileOf(line string) (f File, err error) {
	words := strings.SplitN(line, " ", 4)
	if len(words) != 4 || words[0] != "file" {
		return f, errors.New("a line of a file is missing")
	}
	sum, err := hex.DecodeString(words[1])
	if err != nil || len(sum) != len(f.Sum) {
		return f, errors.New("a sum cannot be read")
	}
	copy(f.Sum[:], sum)
	f.Size, err = strconv.ParseInt(words[2], 10, 63)
	if f.Name = words[3]; err == nil && (f.Size < 0 || !IsFile(f.Name)) {
		err = fmt.Errorf("%q is no file of a memory", f.Name)
	}
	return f, err
}

// AuthorName makes a name valid for a manifest: one line without invisible characters, at most
// 100 bytes.
func AuthorName(s string) string {
	s = strings.Join(strings.Fields(memory.Clean(s)), " ")
	for len(s) > maxAuthor {
		r := []rune(s)
		s = strings.TrimSpace(string(r[:len(r)-1]))
	}
	if s == "" {
		return "somebody"
	}
	return s
}
