package server

import (
	"iter"
	"reflect"
	"slices"
)

// parameter is a part of a request outside of its body.
type parameter struct{ place, name string } // place: path or query

// tagged yields the fields of a request that are parameters, including those of
// embedded structs.
func tagged(t reflect.Type) iter.Seq2[reflect.StructField, parameter] {
	return func(yield func(reflect.StructField, parameter) bool) {
		for f := range fields(t, nil) {
			for _, place := range []string{"path", "query"} {
				if name, ok := f.Tag.Lookup(place); ok && !yield(f, parameter{place, name}) {
					return
				}
			}
		}
	}
}

// fields yields the fields of a struct and of its embedded structs, with the
// index that leads to them from t. Unlike reflect.VisibleFields it includes
// fields that Go hides behind the name of an embedded struct, because
// encoding/json encodes them.
func fields(t reflect.Type, at []int) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for f := range t.Fields() {
			f.Index = append(slices.Clone(at), f.Index...)
			if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("json") == "" {
				for inner := range fields(f.Type, f.Index) {
					if !yield(inner) {
						return
					}
				}
				continue
			}
			if f.IsExported() && !yield(f) {
				return
			}
		}
	}
}
