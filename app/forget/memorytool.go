package forget

// MemoryToolCommand names the command in MemoryChanges for changes that agents make with the memory tool.
const MemoryToolCommand = "memory tool"
