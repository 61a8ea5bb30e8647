import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error of the database. It never carries a value that was stored or bound.
public struct StorageError: CodedError, Hashable {
    /// A stable code: `storage-full`, `storage-constraint`, `storage-busy`, `storage-io`, `storage-corrupt`,
    /// `storage-read-only`, `storage-open`, `storage-synchronous`, `storage-column`, `storage-text`,
    /// `storage-engine-unknown`, `storage-conflict`, `storage-address`,
    /// `storage-password-in-url`, `storage-encoding`, `storage-schema-newer`, `storage-schema-mismatch`, `storage-schema-order`,
    /// `storage-schema-older`, `storage-missing`, `storage-locked`, `storage-exists`,
    /// `storage-moved`, `storage-being-moved`, `storage-unmeasured`, `file-unwritable`, `study-upgrade-needed`, `queue-of-another-study`,
    /// `storage-time-limit`, `storage-interrupted`,
    /// `storage-tables`, `queue-unknown-submission`, `queue-outcome-invalid` or `storage-failed`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the whole store is in trouble, and not one statement: another write would fail as well.
    public var concernsStore: Bool {
        switch code {
        case "storage-full", "storage-busy", "storage-io", "storage-corrupt", "storage-read-only", "storage-open",
            "storage-tables":
            true
        default: false
        }
    }

    /// Whether what the engine ended may be tried again as it is: others were in the way.
    var isOverOthers: Bool { code == "storage-conflict" }

    /// A query that was ended before it was done, see ``SQLTransaction/limited(until:_:)``.
    static let timeLimit = StorageError(
        code: "storage-time-limit", message: "The database took too long to find what was asked for; ask for less.")

    static let interrupted = StorageError(
        code: "storage-interrupted", message: "The database was told to stop what it did; try again.")

    /// Whether a query was ended because it took too long.
    public var isOfTimeLimit: Bool { self == .timeLimit }

    static func column(_ column: String, wanted: String) -> StorageError {
        StorageError(
            code: "storage-column", message: "The column \(column) holds no value that is \(wanted).")
    }

    static func missing(_ path: String) -> StorageError {
        StorageError(
            code: "storage-missing",
            message: "There is no database \(path); check the path, or make it with `tributary migrate`.")
    }

    /// A database's file that the system does not let this account open, by the system's number of the error.
    static func unopened(_ path: String, _ number: Int32) -> StorageError {
        switch number {
        case EACCES, EPERM:
            StorageError(
                code: "storage-open",
                message:
                    "Permissions forbid the account \(FileAccess.account) to open \(path); change its owner, group or "
                    + "mode, or those of its folder.")
        case EROFS:
            StorageError(code: "storage-open", message: "\(path) is on a file system that is mounted for reading only.")
        default:
            StorageError(
                code: "storage-open",
                message: "The database \(path) cannot be opened: \(String(cString: strerror(number))).")
        }
    }

    static let schemaOlder = StorageError(
        code: "storage-schema-older",
        message: "The database was written by an older version; bring it up to date with `tributary migrate`.")

    static let zeroByte = StorageError(code: "storage-text", message: "A text with a zero byte cannot be stored.")
}
