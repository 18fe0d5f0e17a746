package lookup

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"agentflow/app"
)

// Cursor marks where a page of a list ended, by the sort key of the page's last item. Items that
// are added or removed meanwhile do not change which items follow. Clients see a cursor as an
// opaque text.
type Cursor struct {
	List       string    `json:"l"` // name of the list and its order
	ID         string    `json:"i,omitempty"`
	Time       time.Time `json:"t,omitzero"` // when it was created
	Updated    time.Time `json:"u,omitzero"`
	Importance float64   `json:"p,omitempty"`
	Namespace  string    `json:"n,omitempty"`
	Key        string    `json:"k,omitempty"`
	Uses       int       `json:"c,omitempty"`
	LastUse    time.Time `json:"s,omitzero"`
	File       string    `json:"f,omitempty"` // with Line and Text: for items without an id
	Line       int       `json:"o,omitempty"`
	Text       string    `json:"x,omitempty"` // memory.TextID of the text
}

func (c Cursor) String() string {
	text, _ := json.Marshal(c) // cannot fail: strings, numbers and times in the range of files
	return base64.RawURLEncoding.EncodeToString(text)
}

// ReadCursor decodes the cursor of a list. Errors are of KindUsage.
func ReadCursor(text, list string) (c Cursor, err error) {
	var raw []byte
	if len(text) <= MaxCursor {
		raw, err = base64.RawURLEncoding.DecodeString(text)
	}
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil || c.List != list {
		return c, &app.Error{Kind: app.KindUsage, Err: errors.New("the cursor is none of this list"), Hint: "ask without a cursor for the first page"}
	}
	return c, nil
}
