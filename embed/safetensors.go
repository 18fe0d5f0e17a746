package embed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// maxHeader limits the header of a tensor file; a model here has three tensors.
const maxHeader = 1 << 20

type tensor struct {
	kind  string // F32, F16, I8, …
	shape []int
	data  []byte
}

// elementSizes maps the supported kinds of numbers to their size in bytes.
var elementSizes = map[string]int{"F64": 8, "F32": 4, "F16": 2, "I8": 1, "I32": 4, "I64": 8}

// safetensors parses a file of that format: eight bytes with the length of a
// JSON header, little-endian; the header, which has the kind, shape and offsets
// of each tensor; the numbers. It checks every number of the header before
// using it. It leaves out tensors of unsupported kinds.
func safetensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, errors.New("too short for a header")
	}
	size := binary.LittleEndian.Uint64(file)
	if size > maxHeader || size > uint64(len(file)-8) {
		return nil, fmt.Errorf("a header of %d bytes", size)
	}
	header, data := file[8:8+size], file[8+size:]
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	out := map[string]tensor{}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		var e struct {
			Dtype   string
			Shape   []int
			Offsets []int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		width := elementSizes[e.Dtype]
		if width == 0 {
			continue
		}
		part, err := slice(data, e.Shape, e.Offsets, width)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		out[name] = tensor{e.Dtype, e.Shape, part}
	}
	return out, nil
}

// slice returns the bytes of a tensor, which its shape must fill exactly.
func slice(data []byte, shape, offsets []int, width int) ([]byte, error) {
	if len(offsets) != 2 || offsets[0] < 0 || offsets[0] > offsets[1] || offsets[1] > len(data) {
		return nil, fmt.Errorf("lies at %v of %d bytes", offsets, len(data))
	}
	part := data[offsets[0]:offsets[1]]
	room := len(part) / width
	for _, n := range shape {
		if n <= 0 || n > room {
			return nil, fmt.Errorf("shape %v does not fit %d bytes", shape, len(part))
		}
		room /= n
	}
	need := width
	for _, n := range shape {
		need *= n
	}
	if need != len(part) {
		return nil, fmt.Errorf("shape %v does not fit %d bytes", shape, len(part))
	}
	return part, nil
}

var floatReaders = map[string]func([]byte) float32{
	"F64": func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
	"F32": func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) },
	"F16": func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) },
	"I8":  func(b []byte) float32 { return float32(int8(b[0])) },
}

// floats returns the numbers of a tensor of floats or small integers.
func (t tensor) floats() ([]float32, error) {
	read, width := floatReaders[t.kind], elementSizes[t.kind]
	if read == nil {
		return nil, fmt.Errorf("numbers of kind %s", t.kind)
	}
	out := make([]float32, len(t.data)/width)
	for i := range out {
		x := read(t.data[i*width:])
		if x-x != 0 { // true only for NaN and infinities
			return nil, errNotFinite
		}
		out[i] = x
	}
	return out, nil
}

// ints returns the numbers of a tensor of large integers.
func (t tensor) ints() ([]int, error) {
	width := elementSizes[t.kind]
	out := make([]int, len(t.data)/width)
	for i := range out {
		switch at := t.data[i*width:]; t.kind {
		case "I32":
			out[i] = int(int32(binary.LittleEndian.Uint32(at)))
		case "I64":
			out[i] = int(int64(binary.LittleEndian.Uint64(at)))
		default:
			return nil, fmt.Errorf("numbers of kind %s", t.kind)
		}
	}
	return out, nil
}

// half converts an IEEE 754 binary16 number.
func half(bits uint16) float32 {
	sign := float32(1)
	if bits&0x8000 != 0 {
		sign = -1
	}
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch exponent {
	case 0:
		return sign * float32(math.Ldexp(fraction, -24))
	case 0x1f:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return sign * float32(math.Inf(1))
	}
	return sign * float32(math.Ldexp(1024+fraction, exponent-25))
}
