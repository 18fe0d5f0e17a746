package claude

import (
	"testing"

	"agentflow/gitwatch/toolcalls"
)

// TestModifiedEdit: what is in a file after an edit that the person changed is not all the agent's.
func TestModifiedEdit(t *testing.T) {
	const result = `{"filePath":"/a","oldString":"x","newString":"y","originalFile":"x\n","userModified":`
	own, changed := wrote([]byte(result+"false}")), wrote([]byte(result+"true}"))
	if len(own) != 1 || own[0].After != toolcalls.TextID([]byte("y\n")) || own[0].Edit == nil {
		t.Errorf("the agent's own edit: %+v", own)
	}
	if len(changed) != 1 || changed[0].After != "" || changed[0].Edit != nil || changed[0].Before != own[0].Before {
		t.Errorf("an edit that the person changed: %+v", changed)
	}
}

// TestOddResult: a value of another type does not take the others along.
func TestOddResult(t *testing.T) {
	for name, odd := range map[string]string{
		"patch": `"structuredPatch":"none"`, "hunk": `"structuredPatch":[{"oldStart":1,"lines":[7,"-x","+y"]}]`,
		"original": `"originalFile":{"a":1}`, "type": `"type":["update"]`, "null": `"structuredPatch":null,"originalFile":null,"type":null`,
	} {
		edit := wrote([]byte(`{"filePath":"/a","oldString":"x","newString":"y",` + odd + `}`))
		if len(edit) != 1 || edit[0].Edit == nil || edit[0].Edit.Old != "x" || edit[0].Edit.New != "y" || edit[0].Edit.Patch != nil || edit[0].Before != "" {
			t.Errorf("%s: an edit is %+v", name, edit)
		}
		whole := wrote([]byte(`{"filePath":"/a","content":"y\n",` + odd + `}`))
		if len(whole) != 1 || whole[0].After != toolcalls.TextID([]byte("y\n")) || whole[0].Before != "" || whole[0].Edit.Patch != nil {
			t.Errorf("%s: a whole text is %+v", name, whole)
		}
	}
	if list := wrote([]byte(`{"filePath":"/a","oldString":"x","newString":7}`)); list != nil {
		t.Errorf("the new text is unknown: %+v", list)
	}
}
