package gittest

// Full ids of objects that do not exist; Nul is git's id for "none".
const (
	IDA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	IDB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	IDC = "cccccccccccccccccccccccccccccccccccccccc"
	Nul = "0000000000000000000000000000000000000000"
)
