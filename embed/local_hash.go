package embed

// Hashes are FNV-1a over characters instead of bytes, then mixed as
// MurmurHash3 ends (fmix64), so that every bit depends on every character.
// Fixed constants: unlike hash/maphash they are the same in every process.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Seeds keep features of different sorts apart.
const (
	seedWord uint64 = iota + 1
	seedGram
	seedBigram
	seedPath
)

func start(seed uint64) uint64 { return (fnvOffset ^ seed) * fnvPrime }

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * fnvPrime }

// chain adds a whole word's hash to that of a path.
func chain(h, word uint64) uint64 { return finish(h*fnvPrime ^ word) }

func finish(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
