package memory

import (
	"fmt"
	"io"
)

// ChunkReader cuts what r holds as Chunks cuts a parsed file, and gives the
// chunks in the order they stand. An error of yield ends it and is returned
// as it is; one of r is returned after the chunks that came before it.
func ChunkReader(file string, r io.Reader, maxTokens, overlap int, yield func(Chunk) error) error {
	src, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	for _, c := range Chunks(file, Parse(src), maxTokens, overlap) {
		if err := yield(c); err != nil {
			return err
		}
	}
	return nil
}
