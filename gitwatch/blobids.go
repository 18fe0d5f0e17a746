package gitwatch

import "agentflow/gitwatch/internal/git"

// BlobIDs are the ids that git gives contents, in repositories of either kind.
func BlobIDs(content []byte) []string { return []string{git.BlobID(content), git.BlobID256(content)} }
