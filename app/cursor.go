package app

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// cursor is where a page of a list ended: what the list is sorted by, of its
// last item. Items that come and go in the meantime change nothing of what
// stands behind it. Doors pass it on as text that means nothing to them.
type cursor struct {
	List       string    `json:"l"` // which list in which order
	ID         string    `json:"i,omitempty"`
	Time       time.Time `json:"t,omitzero"` // when it was created
	Updated    time.Time `json:"u,omitzero"`
	Importance float64   `json:"p,omitempty"`
	Namespace  string    `json:"n,omitempty"`
	Key        string    `json:"k,omitempty"`
	Uses       int       `json:"c,omitempty"`
	LastUse    time.Time `json:"s,omitzero"`
	File       string    `json:"f,omitempty"` // with Line and Text: of what has no id
	Line       int       `json:"o,omitempty"`
	Text       string    `json:"x,omitempty"` // stands for the text
}

// maxCursor bounds what is read as a cursor, in bytes.
const maxCursor = 8 << 10

func (c cursor) String() string {
	text, _ := json.Marshal(c) // of texts, numbers and times within the years of files
	return base64.RawURLEncoding.EncodeToString(text)
}

// readCursor reads the cursor of a list. The error is of KindUsage.
func readCursor(text, list string) (c cursor, err error) {
	var raw []byte
	if len(text) <= maxCursor {
		raw, err = base64.RawURLEncoding.DecodeString(text)
	}
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil || c.List != list {
		return c, &Error{Kind: KindUsage, Err: errors.New("the cursor is none of this list"), Hint: "ask without a cursor for the first page"}
	}
	return c, nil
}
