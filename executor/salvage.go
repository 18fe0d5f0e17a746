package executor

import (
	"bytes"
	"encoding/json"
)

// salvage reads the fields that stand before the damage in a journal.
func salvage(data []byte) journal {
	var j journal
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return j
	}
	whole := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			break
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			break
		}
		whole[name] = value
	}
	// Field by field, so that one of a wrong type takes no other with it.
	for name, value := range whole {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			continue
		}
		trial := j
		if json.Unmarshal(one, &trial) == nil {
			j = trial
		}
	}
	return j
}
