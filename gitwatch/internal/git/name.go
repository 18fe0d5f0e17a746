package git

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Name is a name of any bytes. In JSON it is a string, or, where it is not
// valid UTF-8, a list with its base64 form, so that no byte is lost.
type Name string

// MarshalJSON writes the string, or the list.
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal([]string{base64.StdEncoding.EncodeToString([]byte(n))})
}

// UnmarshalJSON reads either form.
func (n *Name) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*n = Name(s)
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("read name: want one base64 string, got %d", len(list))
	}
	raw, err := base64.StdEncoding.DecodeString(list[0])
	if err != nil {
		return fmt.Errorf("read name: %w", err)
	}
	*n = Name(raw)
	return nil
}
