package consolidate

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"agentflow/memory"
)

// TestDetachedSharesNothing fills every field of a fact, and checks that the copy is equal and
// shares no memory with it.
func TestDetachedSharesNothing(t *testing.T) {
	var f memory.Fact
	fill(reflect.ValueOf(&f).Elem(), "the text of a file that is long")
	g := detached(f)
	if !reflect.DeepEqual(f, g) {
		t.Fatalf("%+v, want %+v", g, f)
	}
	theirs := map[*byte]bool{}
	each(reflect.ValueOf(f), func(s string) { theirs[unsafe.StringData(s)] = true })
	if len(theirs) < 10 {
		t.Fatalf("%d texts were filled", len(theirs))
	}
	each(reflect.ValueOf(g), func(s string) {
		if theirs[unsafe.StringData(s)] {
			t.Errorf("%q is shared", s)
		}
	})
}

// fill gives each text of v a separate part of one long text.
func fill(v reflect.Value, text string) string {
	switch v.Kind() {
	case reflect.String:
		text = text[1:]
		v.SetString(text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 8, 0, 0, 0, time.FixedZone("", 3600))))
			return text
		}
		for i := range v.NumField() {
			text = fill(v.Field(i), text)
		}
	}
	return text
}

func each(v reflect.Value, see func(string)) {
	switch v.Kind() {
	case reflect.String:
		see(v.String())
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), see)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			each(v.Field(i), see)
		}
	}
}
