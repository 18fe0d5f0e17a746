package lookup

import (
	"io"

	"agentflow/internal/safefile"
)

// ReadBeginning reads the first bytes of a file. It refuses links, which the index does not follow either.
func ReadBeginning(name string, most int64) ([]byte, error) {
	f, err := safefile.Open(name, safefile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
