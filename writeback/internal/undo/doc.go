// Package undo plans to take back a kept change of memory. It does no I/O, except that it reads the kept change.
//
// Guarantees: edits and appends since the change stay. A text that was forgotten or removed since does not come back. If
// later edits overlap with the change, there is no plan but an OverlapError.
package undo
