package claude

import (
	"testing"

	"agentflow/gitwatch/calls"
)

// TestModifiedEdit: what is in a file after an edit that the person changed is not all the agent's.
func TestModifiedEdit(t *testing.T) {
	const result = `{"filePath":"/a","oldString":"x","newString":"y","originalFile":"x\n","userModified":`
	own, changed := wrote([]byte(result+"false}")), wrote([]byte(result+"true}"))
	if len(own) != 1 || own[0].After != calls.TextID([]byte("y\n")) || own[0].Edit == nil {
		t.Errorf("the agent's own edit: %+v", own)
	}
	if len(changed) != 1 || changed[0].After != "" || changed[0].Edit != nil || changed[0].Before != own[0].Before {
		t.Errorf("an edit that the person changed: %+v", changed)
	}
}
