package purge

// OwnRepositoryName names the bare repository that shares the user's own memory.
const OwnRepositoryName = "share.git"
