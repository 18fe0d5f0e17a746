package cli

import (
	"bytes"
	"testing"

	"agentflow/internal/jsonselect"

	"github.com/itchyny/gojq"
)

// TestJSONListIsOneList holds that pages are printed as the whole list is, byte for byte, also
// in part and through jq.
func TestJSONListIsOneList(t *testing.T) {
	type item struct {
		Name  string   `json:"name"`
		Lines []string `json:"lines"`
	}
	all := []item{{"one", []string{"]", "\n]\n"}}, {"two", nil}, {"three \x1b[31m", []string{}}, {"[", []string{"["}}}
	count, err := gojq.Parse(".[] | .name")
	if err != nil {
		t.Fatal(err)
	}
	for _, sel := range []jsonselect.Selection{{Wanted: true}, {Wanted: true, Fields: []string{"name"}}, {Wanted: true, Filter: count}} {
		for _, pages := range [][][]item{{all}, {all[:1], all[1:]}, {all[:3], all[3:]}, {all[:1], all[1:2], all[2:3], all[3:]}, {{}}, {}} {
			var whole []item
			var want, got bytes.Buffer
			v := Voice{Out: &got, Selection: sel}
			var list JsonList[item]
			for _, page := range pages {
				whole = append(whole, page...)
				if err := list.Add(&v, page); err != nil {
					t.Fatal(err)
				}
			}
			if err := list.End(&v); err != nil {
				t.Fatal(err)
			}
			v.Out = &want
			if err := v.Json(append([]item{}, whole...)); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("%+v, %d pages: %q, want %q", sel, len(pages), got.String(), want.String())
			}
		}
	}
}
