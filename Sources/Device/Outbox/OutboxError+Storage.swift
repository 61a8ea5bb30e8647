import DeviceSystem

extension OutboxError {
    /// Creates the outbox's error for an error of the device's files or secrets. The codes are equal, except for a lock
    /// that another process has: `outbox-busy`.
    init(_ error: DeviceStorageError) {
        switch error.reason {
        case .fileBusy:
            self.init(.outboxBusy, "Another process is using the outbox: wait for it and try again.")
        case .fileMissing: self.init(.fileMissing, error.message)
        case .storageFull: self.init(.storageFull, error.message)
        case .storageFailed: self.init(.storageFailed, error.message)
        }
    }
}
