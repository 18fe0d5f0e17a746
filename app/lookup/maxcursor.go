package lookup

// MaxCursor limits the cursors that are read, in bytes.
const MaxCursor = 8 << 10
