package lookup

// MaxDayRecalled limits the part of a day's file searched for notes, in bytes from its end, where the newest notes
// are. Reading it takes 10 ms.
const MaxDayRecalled = 256 << 10
