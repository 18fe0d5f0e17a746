package purge

const OwnRepositoryName = "share.git"
