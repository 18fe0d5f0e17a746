package gitwatch

import (
	"encoding/binary"

	"agentflow/gitwatch/internal/git"
)

// indexEntry is one entry of the index. It is a view of the index's bytes:
// 300,000 of them take 10 MB beside those.
type indexEntry struct {
	name  string
	fixed *[maxFixed]byte
	ids   git.Algorithm
}

// Flags of an entry.
const (
	entryAssumed = 1 << 15
	entryMore    = 1 << 14
	entryAdded   = 1 << 13 // in the second flags
	entrySkip    = 1 << 14 // in the second flags
	maxLength    = 1<<12 - 1
)

func (e *indexEntry) word(i int) uint32 { return binary.BigEndian.Uint32(e.fixed[4*i:]) }

func (e *indexEntry) ctime() stamp  { return stamp{int64(e.word(0)), int64(e.word(1))} }
func (e *indexEntry) mtime() stamp  { return stamp{int64(e.word(2)), int64(e.word(3))} }
func (e *indexEntry) inode() uint32 { return e.word(5) }
func (e *indexEntry) mode() uint32  { return e.word(6) }
func (e *indexEntry) size() uint32  { return e.word(9) }
func (e *indexEntry) id() git.ID    { return git.ID(e.fixed[entryStat:e.atFlags()]) }
func (e *indexEntry) file() file    { return file{Mode: e.mode(), Hash: e.id().String()} }
func (e *indexEntry) stage() uint16 { return e.flags() >> 12 & 3 }
func (e *indexEntry) atFlags() int  { return entryStat + e.ids.Size() }
func (e *indexEntry) flags() uint16 { return binary.BigEndian.Uint16(e.fixed[e.atFlags():]) }

// more are the second flags, which few entries have.
func (e *indexEntry) more() uint16 {
	if e.flags()&entryMore == 0 {
		return 0
	}
	return binary.BigEndian.Uint16(e.fixed[e.atFlags()+2:])
}

// added says that the entry is a name without content: git add -N.
func (e *indexEntry) added() bool { return e.more()&entryAdded != 0 }

// skipped says that a sparse checkout leaves the file out.
func (e *indexEntry) skipped() bool { return e.more()&entrySkip != 0 }

// assumed says that git was told to take the file for unchanged:
// git update-index --assume-unchanged.
func (e *indexEntry) assumed() bool { return e.flags()&entryAssumed != 0 }

// flagged says that git was told not to look at the file.
func (e *indexEntry) flagged() bool { return e.assumed() || e.skipped() }

// merged says that the entry holds content, and not a side of a conflict.
func (e *indexEntry) merged() bool { return e.stage() == 0 && !e.added() }
