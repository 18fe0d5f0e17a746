package server

import (
	"iter"
	"reflect"
)

// parameter is a part of a request that is not in its body.
type parameter struct{ place, name string } // place: path or query

// tagged are the fields of a request that are parameters, those of embedded
// structs too.
func tagged(t reflect.Type) iter.Seq2[reflect.StructField, parameter] {
	return func(yield func(reflect.StructField, parameter) bool) {
		for _, f := range reflect.VisibleFields(t) {
			for _, place := range []string{"path", "query"} {
				if name, ok := f.Tag.Lookup(place); ok && !yield(f, parameter{place, name}) {
					return
				}
			}
		}
	}
}
