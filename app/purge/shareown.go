package purge

// OwnRepositoryName is the bare repository through which the user's own memory is shared.
const OwnRepositoryName = "share.git"
