package memory

// bidiControl reports the characters that reorder the text around them.
func bidiControl(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F ||
		0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// tagRune reports the invisible characters of the tag block, which spell
// ASCII that only a machine reads.
func tagRune(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

// unsafeRune reports the characters beyond ASCII that are never written as
// they are: C1 controls, line separators, bidirectional controls, tags, and
// the byte order mark. Others that nobody sees are stored as they are.
func unsafeRune(r rune) bool {
	return 0x80 <= r && r <= 0x9F || r == 0x2028 || r == 0x2029 || r == 0xFEFF || bidiControl(r) || tagRune(r)
}
