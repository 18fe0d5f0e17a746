package gittest

// Full ids, of nothing, as git writes them; Nul is the one that says "none".
const (
	IDA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	IDB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	IDC = "cccccccccccccccccccccccccccccccccccccccc"
	Nul = "0000000000000000000000000000000000000000"
)
