package connect

type Variable struct{ Name, Value string }
