package seen

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// Seen is what the last writer saw: enough to find, without reading any Markdown or the log, that
// there is nothing to do. It is derived from both. If the file is missing, torn or foreign, they
// are only read again, so it is never synced.
type Seen struct {
	Pos   journal.Position // everything before it in the log is done
	Dir   uint64           // FolderID of the memory folder; 0: unknown
	Files map[string]Stamp // as they were when the log last recorded them
	Tombs map[string]bool
	Gone  []items.Ref // vanished entries

	at time.Time // mtime of the seen file itself
}

// Stamp is used to find out whether a file has changed.
type Stamp struct {
	Size, Mtime int64 // bytes; ns since 1970
	Inode       uint64
	Sum         string // SHA-256 of its contents, hex
}

// StampOf returns the stamp of a file with these contents.
func StampOf(info fs.FileInfo, content []byte) Stamp {
	sum := sha256.Sum256(content)
	return Stamp{info.Size(), info.ModTime().UnixNano(), InodeOf(info), hex.EncodeToString(sum[:])}
}

// Matches reports whether info is that of the same unchanged file, as far as stat shows.
func (s Stamp) Matches(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Mtime == info.ModTime().UnixNano() && s.Inode == InodeOf(info)
}

// racyWindow covers the coarsest file times (FAT: 2 s). A file that changed this shortly before it
// was last looked at may have changed again without a new time, so it is hashed.
const racyWindow = 2 * time.Second

// Racy reports whether a file may have changed after it was last looked at, without a new time.
func (s *Seen) Racy(info fs.FileInfo) bool {
	return s.at.Sub(info.ModTime()) < racyWindow
}

const seenMagic = "agentflow seen 3"

func seenPath(dir string) string { return filepath.Join(dir, "seen") }

// Load reads the seen file. It returns nil if there is none that can be used.
func Load(dir string) *Seen { return Read(dir, true) }

// maxSeen bounds the file, in bytes: a hundred thousand memory files.
const maxSeen = 16 << 20

// Read reads the seen file. If files is false, it skips the list of files, which is nearly all
// of it.
func Read(dir string, files bool) *Seen {
	f, err := safefile.Open(seenPath(dir), safefile.NoLink)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > maxSeen {
		return nil
	}
	s := parseSeen(f, files)
	if s != nil {
		s.at = info.ModTime()
	}
	return s
}

// format returns the contents of the seen file: the magic, then two blocks with one line per item,
// the files last. Before each block is a line with its checksum and size in bytes.
func (s *Seen) format() []byte {
	var rest, files bytes.Buffer
	fmt.Fprintf(&rest, "log %s %d\ndir %d\n", s.Pos.Gen, s.Pos.Offset, s.Dir)
	for tomb := range s.Tombs {
		fmt.Fprintf(&rest, "tomb %s\n", tomb)
	}
	for _, r := range s.Gone {
		fmt.Fprintf(&rest, "gone %q %q %q\n", r.ID, r.File, r.Title)
	}
	for name, f := range s.Files {
		fmt.Fprintf(&files, "file %d %d %d %s %s\n", f.Size, f.Mtime, f.Inode, f.Sum, strconv.Quote(name))
	}
	b := []byte(seenMagic + "\n")
	for _, block := range []*bytes.Buffer{&rest, &files} {
		b = fmt.Appendf(b, "%08x %d\n", journal.Sum(block.Bytes()), block.Len())
		b = append(b, block.Bytes()...)
	}
	return b
}

func parseSeen(from io.Reader, files bool) *Seen {
	r := bufio.NewReader(from)
	if magic, err := r.ReadString('\n'); err != nil || magic != seenMagic+"\n" {
		return nil
	}
	s := &Seen{Files: map[string]Stamp{}, Tombs: map[string]bool{}}
	if !s.parseBlock(r) || files && !s.parseBlock(r) {
		return nil
	}
	return s
}

func (s *Seen) parseBlock(r *bufio.Reader) bool {
	var sum uint32
	var size int64
	if n, err := fmt.Fscanf(r, "%08x %d\n", &sum, &size); n != 2 || err != nil {
		return false
	}
	block, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil || int64(len(block)) != size || journal.Sum(block) != sum {
		return false
	}
	for line := range strings.Lines(string(block)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !s.parseLine(kind, rest) {
			return false
		}
	}
	return true
}

func (s *Seen) parseLine(kind, rest string) bool {
	switch kind {
	case "file":
		return s.parseFile(rest)
	case "tomb":
		s.Tombs[rest] = true
	case "gone":
		var r items.Ref
		if _, err := fmt.Sscanf(rest, "%q %q %q", &r.ID, &r.File, &r.Title); err != nil {
			return false
		}
		s.Gone = append(s.Gone, r)
	case "dir":
		n, err := strconv.ParseUint(rest, 10, 64)
		s.Dir = n
		return err == nil
	case "log":
		gen, offset, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(offset, 10, 64)
		s.Pos = journal.Position{Gen: gen, Offset: n}
		return err == nil
	default:
		return false
	}
	return true
}

func (s *Seen) parseFile(rest string) bool {
	var parts [4]string
	for i := range parts {
		parts[i], rest, _ = strings.Cut(rest, " ")
	}
	size, err1 := strconv.ParseInt(parts[0], 10, 64)
	mtime, err2 := strconv.ParseInt(parts[1], 10, 64)
	inode, err3 := strconv.ParseUint(parts[2], 10, 64)
	name, err4 := strconv.Unquote(rest)
	s.Files[name] = Stamp{size, mtime, inode, parts[3]}
	return err1 == nil && err2 == nil && err3 == nil && err4 == nil
}

// Save writes the seen file, completely or not at all, without a sync.
func (s *Seen) Save(sys journal.System, dir string) error {
	slices.SortFunc(s.Gone, func(a, b items.Ref) int { return strings.Compare(a.ID, b.ID) })
	return atomicfile.WriteTo(unsynced{sys}, seenPath(dir), s.format(), 0o600)
}

// unsynced is a file system on which a sync does nothing, for derived files with a checksum.
type unsynced struct{ journal.System }

func (u unsynced) CreateTemp(dir, pattern string) (atomicfile.File, error) {
	f, err := u.System.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

func (unsynced) SyncDir(string) error { return nil }

type unsyncedFile struct{ atomicfile.File }

func (unsyncedFile) Sync() error { return nil }

// bornAs hashes an inode and the birth time of its file into one number. It is never 0, which means
// unknown.
func bornAs(inode uint64, sec, nsec int64) uint64 {
	h := fnv.New64a()
	for _, n := range []uint64{inode, uint64(sec), uint64(nsec)} {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, n)) // a hash takes everything
	}
	return max(h.Sum64(), 1)
}

// DirChanged reports whether the memory folder is gone, or is not the one that was last seen.
func DirChanged(last *Seen, dir string) bool {
	now, err := FolderID(dir)
	return last.Dir != 0 && (err != nil || now != last.Dir)
}

// TooLarge takes the place of the hash of a file that was not read.
const TooLarge = "-"
