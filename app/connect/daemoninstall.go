package connect

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }
