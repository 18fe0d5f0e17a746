// Package seen stores what the last writer saw: the stamps of the memory files, the identity of their folder, and a
// position in the log. A command that finds nothing else has nothing to do, and reads no Markdown.
//
// The file is derived. If it is missing, torn or from another version, Load returns nil, and all files are read again.
//
// Not guaranteed: a program that writes a file and then restores its size, times and inode goes unnoticed, unless that
// happened within two seconds before the file was last looked at.
package seen
