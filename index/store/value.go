package store

import (
	"hash/crc32"
	"strings"
	"time"

	"agentflow/internal/words"
)

// Checksum returns the CRC-32C of a document's text and packed stems.
func Checksum(text string, terms []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Update(0, table, []byte(text)), table, terms)
}

// JoinList encodes a list so that one member can be searched for: with NUL
// before, between and after.
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

// SplitList reverses JoinList.
func SplitList(b []byte) []string {
	if len(b) < 2 {
		return nil
	}
	return strings.Split(string(b[1:len(b)-1]), "\x00")
}

// DateOf returns the date of Unix seconds and a zone offset; the zero time for
// nil.
func DateOf(unix, zone *int64) time.Time {
	if unix == nil || zone == nil {
		return time.Time{}
	}
	if *zone == 0 {
		return time.Unix(*unix, 0).UTC()
	}
	return time.Unix(*unix, 0).In(time.FixedZone("", int(*zone)))
}

// Date reverses DateOf.
func Date(t time.Time) (unix, zone *int64) {
	if t.IsZero() {
		return nil, nil
	}
	_, offset := t.Zone()
	u, z := t.Unix(), int64(offset)
	return &u, &z
}

// CeilUnix returns the first whole second not before t, because entries have
// whole seconds.
func CeilUnix(t time.Time) int64 {
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return s
}

// AsDay converts a time for comparison with the dates of hand-written text,
// which are days: it returns the time that the local clock shows, as UTC.
func AsDay(t time.Time) time.Time {
	_, east := t.Zone()
	return t.Add(time.Duration(east) * time.Second)
}

// Phrases returns the stems of the terms, as in a row's projection. They
// contain only letters, digits and '_'.
func (m Match) Phrases() []string {
	list := make([]string, len(m.Terms))
	for i, t := range m.Terms {
		list[i] = words.Stem(t.Text)
	}
	return list
}

// CacheLayout begins the keys of embedders: the version of the cached
// vectors. The cache outlives the other tables, because the vectors may have
// cost money.
const CacheLayout = "1 "
