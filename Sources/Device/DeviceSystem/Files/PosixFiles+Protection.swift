#if canImport(Darwin)
    import Foundation

    extension PosixFiles {
        /// Gives a folder, and files created in it later, the protection of a queue on Apple's systems.
        ///
        /// - It is readable from the first unlock after a restart, because uploads continue while the phone is locked.
        /// - It is excluded from backups: a queue from a backup would send submissions again, with numbers that are
        ///   used.
        func protect(_ folder: URL) throws(DeviceStorageError) {
            // A volume without protection classes, such as a Mac's, may refuse; queued submissions are sealed in any
            // case.
            try? FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
            var folder = folder
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            do { try folder.setResourceValues(values) } catch {
                throw DeviceStorageError(
                    .storageFailed, "The folder \(folder.lastPathComponent) cannot be kept out of backups.")
            }
        }
    }
#endif
