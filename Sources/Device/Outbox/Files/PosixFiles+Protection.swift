#if canImport(Darwin)
    import Foundation

    extension PosixFiles {
        /// Gives a folder, and what is made in it later, the protection that a queue needs on Apple's systems.
        ///
        /// - It is readable from the first unlocking after a start on, for uploads go on while the phone is locked.
        /// - It is in no backup: a queue that came back with one would send again what was sent, under numbers that are
        ///   spent.
        func protect(_ folder: URL) throws(OutboxError) {
            // A volume without protection classes, such as a Mac's, may refuse: what is queued is sealed all the same.
            try? FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
            var folder = folder
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            do { try folder.setResourceValues(values) } catch {
                throw OutboxError(
                    .storageFailed, "The folder \(folder.lastPathComponent) cannot be kept out of backups.")
            }
        }
    }
#endif
