// Package lists makes lists that JSON shows as [], never as null.
package lists

// Filled returns a copy of a list that is never nil.
func Filled[T any](list []T) []T { return append([]T{}, list...) }

// Mapped returns a list with turn applied to each item; never nil.
func Mapped[A, B any](list []A, turn func(A) B) []B {
	out := []B{}
	for _, a := range list {
		out = append(out, turn(a))
	}
	return out
}
