package writeback

import (
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"sync"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Gists keeps hashes of what the facts of memory files say, so that a process
// that remembers often parses again only the files that changed since. It
// decides nothing: a file that may hold a fact is read. The zero value is
// ready, and it may be used by any number of goroutines and Stores at once.
type Gists struct {
	mu    sync.Mutex
	files map[string]fileGists // by absolute path
}

// fileGists are those of one file with these contents.
type fileGists struct {
	sum   [sha256.Size]byte
	gists []uint64 // sorted
}

var gistSeed = maphash.MakeSeed()

// mayHold says whether the contents of the file at path hold a fact with this
// gist, as of gives it, or one whose hash is the same.
func (g *Gists) mayHold(path string, content []byte, gist string, of func(memory.Fact) string) bool {
	sum := sha256.Sum256(content)
	g.mu.Lock()
	known, ok := g.files[path]
	g.mu.Unlock()
	if !ok || known.sum != sum {
		known = fileGists{sum, gistsIn(content, of)}
		g.keep(path, known)
	}
	_, found := slices.BinarySearch(known.gists, maphash.String(gistSeed, gist))
	return found
}

func (g *Gists) keep(path string, f fileGists) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.files == nil {
		g.files = map[string]fileGists{}
	}
	g.files[path] = f
}

func gistsIn(content []byte, of func(memory.Fact) string) (list []uint64) {
	for _, at := range markdown.Parse(content).Facts() {
		list = append(list, maphash.String(gistSeed, of(at.Fact)))
	}
	slices.Sort(list)
	return slices.Clip(list)
}
