package fsmonitor

import (
	"errors"
	"io"
	"strconv"
)

// maxAnswer bounds an answer, in bytes: some 100,000 paths.
const maxAnswer = 8 << 20

// readPackets reads pkt-lines (gitprotocol-common(5)) up to the flush packet, and returns their
// contents.
func readPackets(r io.Reader) (content []byte, err error) {
	var head [4]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(head[:]), 16, 16)
		switch {
		case err != nil:
			return nil, err
		case size == 0:
			return content, nil
		case size < uint64(len(head)) || len(content) > maxAnswer:
			return nil, errors.New("no packet of an answer")
		}
		at := len(content)
		content = append(content, make([]byte, size-uint64(len(head)))...)
		if _, err := io.ReadFull(r, content[at:]); err != nil {
			return nil, err
		}
	}
}
