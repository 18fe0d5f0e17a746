package store

import (
	"hash/crc32"
	"strings"
	"time"

	"agentflow/internal/words"
)

// Checksum is the CRC-32C of a document's text and packed stems.
func Checksum(text string, terms []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Update(0, table, []byte(text)), table, terms)
}

// JoinList writes a list so that one member can be looked for: NUL before,
// between and after.
func JoinList[S ~string](list []S) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	b := []byte{0}
	for _, s := range list {
		b = append(append(b, s...), 0)
	}
	return b
}

// SplitList is the reverse.
func SplitList(b []byte) []string {
	if len(b) < 2 {
		return nil
	}
	return strings.Split(string(b[1:len(b)-1]), "\x00")
}

// DateOf makes a date of Unix seconds and the offset of its zone; the zero time of nil.
func DateOf(unix, zone *int64) time.Time {
	if unix == nil || zone == nil {
		return time.Time{}
	}
	if *zone == 0 {
		return time.Unix(*unix, 0).UTC()
	}
	return time.Unix(*unix, 0).In(time.FixedZone("", int(*zone)))
}

// Date is the reverse.
func Date(t time.Time) (unix, zone *int64) {
	if t.IsZero() {
		return nil, nil
	}
	_, offset := t.Zone()
	u, z := t.Unix(), int64(offset)
	return &u, &z
}

// CeilUnix is the first whole second not before t: entries have whole seconds.
func CeilUnix(t time.Time) int64 {
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return s
}

// AsDay is a time as hand-written text has it, which knows days only: what the
// clock shows there, in UTC.
func AsDay(t time.Time) time.Time {
	_, east := t.Zone()
	return t.Add(time.Duration(east) * time.Second)
}

// Phrases are what documents hold of terms: their stems, as a row's projection has them.
// They hold letters, digits and '_' only.
func (m Match) Phrases() []string {
	list := make([]string, len(m.Terms))
	for i, t := range m.Terms {
		list[i] = words.Stem(t.Text)
	}
	return list
}

// CacheLayout begins the keys of embedders: the version of what is cached of
// vectors, which outlives the rest, as somebody may have paid for it.
const CacheLayout = "1 "
