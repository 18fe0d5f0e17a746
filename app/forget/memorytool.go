package forget

// MemoryToolCommand is the command name in MemoryChanges for changes that agents make with the memory tool.
const MemoryToolCommand = "memory tool"
