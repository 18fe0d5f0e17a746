package lookup

// Place returns the lines of the block, as a search names them.
func (b StoredBlock) Place() string { return LinesIn(b.File, b.StartLine, b.LastLine()) }

// Place returns the lines of the found item: those of the fact, or those of the block.
func (f StoredItem) Place() string {
	if f.Fact == nil {
		return f.StoredBlock.Place()
	}
	for _, at := range f.Facts {
		if at.ID == f.ID {
			return LinesIn(f.File, at.StartLine, at.EndLine)
		}
	}
	return f.File
}
