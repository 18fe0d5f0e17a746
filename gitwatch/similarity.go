package gitwatch

import "agentflow/gitwatch/internal/git"

// Similarity as git measures it for renames (diffcore-delta): both contents
// are cut into lines, or pieces of 64 bytes where lines are longer; the bytes
// of the pieces that both have are what was copied.

// maxScore is full similarity; minScore is git's default of 50 %.
const (
	maxScore = 60000
	minScore = 30000
)

// pieces maps the hash of a piece to how many bytes such pieces hold.
func pieces(content []byte) map[uint32]int {
	text := !isBinary(content)
	out := map[uint32]int{}
	var a, b uint32
	n := 0
	for i, c := range content {
		if text && c == '\r' && i+1 < len(content) && content[i+1] == '\n' {
			continue // as git: line ends do not make files differ
		}
		old := a
		a = a<<7 ^ b>>25
		b = b<<7 ^ old>>25
		a += uint32(c)
		if n++; n == 64 || c == '\n' {
			out[(a+b*0x61)%107927] += n
			a, b, n = 0, 0, 0
		}
	}
	if n > 0 {
		out[(a+b*0x61)%107927] += n
	}
	return out
}

// candidate is a file that may be one side of a rename.
type candidate struct {
	path    string
	file    file
	content []byte
	loaded  bool // content is known
	pieces  map[uint32]int
}

// similarity is 0 to maxScore; 0 also for pairs whose sizes alone rule
// minimum out.
func similarity(a, b *candidate, minimum int) int {
	if !a.loaded || !b.loaded || !git.IsRegular(a.file.Mode) || !git.IsRegular(b.file.Mode) {
		return 0
	}
	large, small := max(len(a.content), len(b.content)), min(len(a.content), len(b.content))
	if small == 0 || large*(maxScore-minimum) < (large-small)*maxScore {
		return 0
	}
	if a.pieces == nil {
		a.pieces = pieces(a.content)
	}
	if b.pieces == nil {
		b.pieces = pieces(b.content)
	}
	copied := 0
	for h, n := range a.pieces {
		copied += min(n, b.pieces[h])
	}
	return int(int64(copied) * maxScore / int64(large))
}
