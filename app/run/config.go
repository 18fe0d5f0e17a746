package run

// Done is the result of an operation that returns only the parts that did not work.
type Done struct{ Degraded []string }
