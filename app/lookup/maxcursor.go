package lookup

// MaxCursor is the largest cursor that is read, in bytes.
const MaxCursor = 8 << 10
