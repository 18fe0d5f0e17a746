// Package faulttest makes system calls of real programs fail, for tests.
//
// A program is started under a seccomp filter that hands every call that could
// change a file, its own and its children's, to the test, which lets it through
// or answers it with an error. The calls come one at a time and in order, across
// all threads and processes, so that they can be counted; what is let through
// is made by the program itself. Only Linux on amd64 has it.
//
// Not seen: changes through memory that is mapped from a file.
package faulttest
