package server

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agentflow/app/api"
)

// Event is an event of memory, as it is sent in a stream.
type Event struct {
	api.Event
	Repository string `json:"repository"`
}

// message is one event of a stream.
type message struct {
	name string
	id   string
	data any
}

// text returns the message in its wire format. JSON contains no newline, so
// text from memory cannot end the message.
func (m message) text() []byte {
	data, err := json.Marshal(m.data)
	if err != nil {
		data = []byte("{}")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\nid: %s\ndata: %s\n\n", m.name, m.id, data)
	return b.Bytes()
}
