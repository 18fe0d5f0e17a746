package main

// version is set by the Makefile (-ldflags "-X main.version=…").
var version = "devel"
