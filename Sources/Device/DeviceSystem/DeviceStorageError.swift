import Core

/// An error of the device's files or of its secrets.
///
/// The message contains the last component of a path or the name of a secret, and neither a secret nor health data.
public struct DeviceStorageError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Another process, or another holder in this process, has the lock.
        case fileBusy = "file-busy"
        /// The file does not exist.
        case fileMissing = "file-missing"
        /// The disk is full.
        case storageFull = "storage-full"
        /// Another failure of the file system or of the store of secrets.
        case storageFailed = "storage-failed"
    }

    /// The kind.
    public let reason: Reason
    /// A sentence for a person.
    public let message: String

    /// Creates an error of this kind with this message.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `storage-full`.
    public var code: String { reason.rawValue }
}
