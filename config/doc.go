// Package config finds the repository a command is about, says where things
// live in it, and loads the settings that count there.
//
// Settings come in layers, each overriding the one before: defaults, the
// user's file, the repository's file (only what it may set, or everything
// once the user trusts that very file), the environment, flags. Every value
// remembers its layer. Nothing is ever executed here, and the package writes
// nothing but the user's trust file.
package config
