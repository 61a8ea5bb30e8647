import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error of the database. It never contains a stored or bound value.
public struct StorageError: CodedError, Hashable {
    /// Stable code: `storage-full`, `storage-constraint`, `storage-busy`, `storage-io`, `storage-corrupt`,
    /// `storage-read-only`, `storage-open`, `storage-synchronous`, `storage-column`, `storage-text`,
    /// `storage-engine-unknown`, `storage-conflict`, `storage-address`, `storage-password-in-url`, `storage-encoding`,
    /// `storage-schema-newer`, `storage-schema-mismatch`, `storage-schema-order`, `storage-schema-older`,
    /// `storage-schema-former`, `storage-missing`, `storage-locked`, `storage-exists`, `storage-moved`,
    /// `storage-being-moved`, `storage-unmeasured`, `file-unwritable`, `queue-of-another-study`, `storage-time-limit`,
    /// `storage-interrupted`, `storage-tables`, `queue-unknown-submission`, `queue-outcome-invalid` or
    /// `storage-failed`.
    public let code: String
    /// Message for users that suggests an action.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the error concerns the whole store, so that other writes would fail as well.
    public var concernsStore: Bool {
        switch code {
        case "storage-full", "storage-busy", "storage-io", "storage-corrupt", "storage-read-only", "storage-open",
            "storage-tables":
            true
        default: false
        }
    }

    /// Whether the engine ended the transaction because of others, so that it can be repeated unchanged.
    var isConflict: Bool { code == "storage-conflict" }

    /// Error of a query that the time limit ended, see ``SQLTransaction/limited(until:_:)``.
    static let timeLimit = StorageError(
        code: "storage-time-limit", message: "The query took too long; ask for less.")

    static let interrupted = StorageError(
        code: "storage-interrupted", message: "The database operation was interrupted; try again.")

    /// Whether the time limit ended a query.
    public var isOfTimeLimit: Bool { self == .timeLimit }

    package static func column(_ column: String, wanted: String) -> StorageError {
        StorageError(
            code: "storage-column", message: "The column \(column) holds no value that is \(wanted).")
    }

    static func missing(_ path: String) -> StorageError {
        StorageError(
            code: "storage-missing",
            message: "There is no database \(path); check the path, or make it with `tributary migrate`.")
    }

    /// Returns the error of a database file that this account cannot open, by the system's error number.
    static func unopened(_ path: String, _ number: Int32) -> StorageError {
        switch number {
        case EACCES, EPERM:
            StorageError(
                code: "storage-open",
                message:
                    "Permissions forbid the account \(FileAccess.account) to open \(path); change its owner, group or "
                    + "mode, or those of its folder.")
        case EROFS:
            StorageError(code: "storage-open", message: "\(path) is on a file system that is mounted read-only.")
        default:
            StorageError(
                code: "storage-open",
                message: "The database \(path) cannot be opened: \(String(cString: strerror(number))).")
        }
    }

    static let schemaOlder = StorageError(
        code: "storage-schema-older",
        message: "The database was written by an older version; migrate it with `tributary migrate`.")

    /// Error of a store that an earlier development version made. No migration leads from it to the present schema.
    package static let schemaFormer = StorageError(
        code: "storage-schema-former",
        message: "The database was made by a development version that is no longer supported. Write its records with "
            + "that version (`tributary export`), make a new study with `tributary init`, and load them into it.")

    static let zeroByte = StorageError(code: "storage-text", message: "A text with a zero byte cannot be stored.")
}
