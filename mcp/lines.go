package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine limits a message on standard input, in bytes. The largest file of the memory tool
// fits, even if every character is escaped.
const maxLine = 8 << 20

// messages passes on the lines of its input that are messages of JSON-RPC 2.0, or batches of
// them. It answers other lines with an error, because the SDK would end the connection, and an
// agent would lose its tools. The SDK writes to the same output, each message in one write.
type messages struct {
	in   io.ReadCloser
	read *bufio.Reader
	left []byte // the rest of the current line

	mu  sync.Mutex
	out io.WriteCloser
}

func newMessages(in io.ReadCloser, out io.WriteCloser) *messages {
	return &messages{in: in, read: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.left) == 0 {
		line, whole, err := m.line()
		line = bytes.TrimSpace(line)
		if code, problem := fault(line, whole); problem != "" {
			if err := m.refuse(code, problem); err != nil {
				return 0, err
			}
			line = nil
		}
		if len(line) > 0 {
			m.left = append(line, '\n')
		} else if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.left)
	m.left = m.left[n:]
	return n, nil
}

// line reads a line. If it is longer than maxLine, whole is false and a part of it is missing.
func (m *messages) line() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := m.read.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			whole = false
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, whole, err
		}
	}
}

// fault returns why a line, without space around it, is not a message. problem is "" for a
// message and for an empty line.
func fault(line []byte, whole bool) (code int, problem string) {
	var batch []json.RawMessage
	switch {
	case !whole:
		return jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxLine)
	case len(line) == 0:
		return 0, ""
	case !json.Valid(line):
		return jsonrpc.CodeParseError, "this line is no JSON: a message is one line of it"
	case json.Unmarshal(line, &batch) != nil:
		batch = []json.RawMessage{line}
	case len(batch) == 0:
		return jsonrpc.CodeInvalidRequest, "the batch is empty"
	}
	for _, one := range batch {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return jsonrpc.CodeInvalidRequest, "this line is no message of JSON-RPC 2.0"
		}
	}
	return 0, ""
}

// refuse answers a line that is not a message. The id is null, because the request is unknown.
func (m *messages) refuse(code int, problem string) error {
	_, err := fmt.Fprintf(m, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, problem)
	return err
}

// Write implements io.Writer.
func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.Write(p)
}

// Close closes the input. The output is closed separately.
func (m *messages) Close() error { return m.in.Close() }

// output is the writer of answers.
type output struct{ *messages }

// Close implements io.Closer.
func (o output) Close() error { return o.out.Close() }
