package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"agentflow/internal/testing/randomtest"
)

func TestAnyEntryComesBack(t *testing.T) {
	randomtest.Check(t, 2000, func(t *testing.T, rnd *rand.Rand) {
		s := source{randomBytes(rnd, 1500)}
		checkEntry(t, s.entry())
	})
}

// randomBytes are up to most bytes. Small ones, and runs of those that
// numbers at their limits are made of, come more often than by chance.
func randomBytes(rnd *rand.Rand, most int) []byte {
	var b []byte
	for n := rnd.IntN(most + 1); len(b) < n; {
		switch rnd.IntN(16) {
		case 0:
			b = append(b, bytes.Repeat([]byte{randomtest.Pick[byte](rnd, 0, 0x7f, 0x80, 0xff)}, 1+rnd.IntN(9))...)
		case 1, 2, 3:
			b = append(b, byte(rnd.IntN(16)))
		default:
			b = append(b, byte(rnd.IntN(256)))
		}
	}
	return b
}
