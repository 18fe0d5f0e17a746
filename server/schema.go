package server

import (
	"cmp"
	"encoding"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"time"
)

// schema is a JSON Schema (draft 2020-12), as in OpenAPI 3.1.
type schema = map[string]any

// schemas describes Go types as encoding/json encodes them. Structs are in defs
// by name.
type schemas struct {
	defs  schema
	names map[reflect.Type]string
}

func newSchemas() *schemas { return &schemas{defs: schema{}, names: map[reflect.Type]string{}} }

var (
	timeType   = reflect.TypeFor[time.Time]()
	idType     = reflect.TypeFor[id]()
	ownJSON    = reflect.TypeFor[json.Marshaler]()
	ownText    = reflect.TypeFor[encoding.TextMarshaler]()
	plainTypes = map[reflect.Kind]string{
		reflect.Bool: "boolean", reflect.String: "string", reflect.Float64: "number", reflect.Float32: "number",
		reflect.Int: "integer", reflect.Int64: "integer", reflect.Int32: "integer", reflect.Uint8: "integer", reflect.Uint32: "integer", reflect.Uint64: "integer",
	}
)

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) schema {
	switch {
	case t == timeType:
		return schema{"type": "string", "format": "date-time"}
	case t == idType:
		return schema{"type": "string", "maxLength": maxID}
	case t.Kind() == reflect.Pointer:
		return schema{"anyOf": []schema{s.of(t.Elem()), {"type": "null"}}}
	case t.Implements(ownJSON):
		return schema{}
	case t.Implements(ownText):
		return schema{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.named(t)
	case reflect.Slice, reflect.Array:
		return schema{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Interface:
		return schema{}
	}
	return schema{"type": plainTypes[t.Kind()]}
}

// named adds a struct to defs under its name, and returns a reference to it.
func (s *schemas) named(t reflect.Type) schema {
	name, known := s.names[t]
	if !known {
		name = s.nameOf(t)
		s.names[t] = name
		s.defs[name] = schema{} // a struct may contain itself
		s.defs[name] = s.object(t)
	}
	return schema{"$ref": "#/components/schemas/" + name}
}

// nameOf returns the name of a struct. If the struct is in another package than
// this one, the name begins with the package.
func (s *schemas) nameOf(t reflect.Type) string {
	name := strings.NewReplacer("[", "_", "]", "", "/", "_", ".", "_", "*", "").Replace(t.Name())
	if i := strings.LastIndex(name, "_"); i > 0 && strings.Contains(t.Name(), "[") {
		name = name[:strings.Index(name, "_")] + name[i+1:] // Outcome[server.Hits]: OutcomeHits
	}
	if pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]; pkg != "server" {
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

// object returns the schema of a struct: a field is always present unless it
// may be omitted when empty, and there are no other fields.
func (s *schemas) object(t reflect.Type) schema {
	properties, required := schema{}, []string{}
	for name, f := range jsonFields(t) {
		one := s.of(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			one["description"] = doc
		} else if doc := f.Tag.Get("jsonschema"); doc != "" {
			one["description"] = doc
		}
		if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); strings.Contains(options, "omit") {
			if f.Type.Kind() == reflect.Pointer { // if present, it is never null
				inner := s.of(f.Type.Elem())
				if d, ok := one["description"]; ok {
					inner["description"] = d
				}
				one = inner
			}
		} else {
			required = append(required, name)
		}
		properties[name] = one
	}
	return schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// jsonFields yields the fields of a struct that encoding/json encodes, by name.
// Of two fields with the same name it yields the outer one.
func jsonFields(t reflect.Type) iter.Seq2[string, reflect.StructField] {
	best := map[string]reflect.StructField{}
	var order []string
	for f := range fields(t, nil) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name = cmp.Or(name, f.Name); name == "-" {
			continue
		}
		other, met := best[name]
		if !met {
			order = append(order, name)
		}
		if !met || len(f.Index) < len(other.Index) {
			best[name] = f
		}
	}
	return func(yield func(string, reflect.StructField) bool) {
		for _, name := range order {
			if !yield(name, best[name]) {
				return
			}
		}
	}
}
