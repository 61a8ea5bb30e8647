import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the files and folders that an operator maintains. A missing file is nil; a file without read permission is an
/// error that contains the path and the account.
public enum FileAccess {
    /// Returns the content of a file; nil if there is no such file.
    ///
    /// - Throws: ``FileAccessError`` if the file exists, or may exist, and cannot be read.
    public static func contents(of file: URL) throws(FileAccessError) -> Data? {
        if let data = FileManager.default.contents(atPath: file.path) { return data }
        guard let failure = failure(of: file.path, flags: O_RDONLY) else { return nil }
        throw failure
    }

    /// Returns the names in a folder, sorted; nil if there is no such folder.
    ///
    /// - Throws: ``FileAccessError`` if the folder exists, or may exist, and cannot be listed.
    public static func names(in folder: URL) throws(FileAccessError) -> [String]? {
        if let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) { return names.sorted() }
        guard let failure = failure(of: folder.path, flags: O_RDONLY | O_DIRECTORY) else { return nil }
        throw failure
    }

    /// Checks that a file can be read, without reading it.
    ///
    /// - Throws: ``FileAccessError``, also for a file that does not exist.
    public static func require(_ file: URL) throws(FileAccessError) {
        var status = stat()
        guard stat(file.path, &status) == 0 else { throw FileAccessError(path: file.path, cause: cause(file.path)) }
        guard access(file.path, R_OK) == 0 else {
            throw FileAccessError(path: file.path, cause: cause(file.path))
        }
    }

    /// Name of the account that runs this process, or its number if it has no name.
    public static var account: String {
        let name = NSUserName()
        return name.isEmpty ? "number \(geteuid())" : name
    }

    /// Returns the reason why a path cannot be opened for reading; nil if the path does not exist.
    private static func failure(of path: String, flags: Int32) -> FileAccessError? {
        let descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK)
        let number = errno
        guard descriptor < 0 else {
            close(descriptor)
            return FileAccessError(path: path, cause: .failed(flags & O_DIRECTORY == 0 ? "it is no file" : "unknown"))
        }
        if number == ENOENT || (number == ENOTDIR && !isThere(path)) { return nil }
        return FileAccessError(path: path, cause: cause(path, number))
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func cause(_ path: String, _ number: Int32 = errno) -> FileAccessError.Cause {
        switch number {
        case ENOENT: .missing
        case EACCES, EPERM: .forbidden(by: closedFolder(above: path))
        default: .failed(String(cString: strerror(number)))
        }
    }

    /// Returns the outermost folder above a path that this account may not enter.
    private static func closedFolder(above path: String) -> String? {
        var folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
        var closed: String?
        while true {
            if access(folder.path, X_OK) != 0, errno == EACCES { closed = folder.path }
            guard folder.path != "/" else { return closed }
            folder.deleteLastPathComponent()
        }
    }
}

/// Error of a file or folder that cannot be read or written, with the cause.
public struct FileAccessError: CodedError, Hashable {
    /// Cause reported by the system.
    public enum Cause: Sendable, Hashable {
        /// There is no such file.
        case missing
        /// Missing permissions: those of the file itself, or of a folder above it.
        case forbidden(by: String?)
        /// Another error of the system, with its text.
        case failed(String)
    }

    /// The file's path.
    public let path: String
    public let cause: Cause
    /// Whether the operation was a write.
    public let isWrite: Bool

    public init(path: String, cause: Cause, isWrite: Bool = false) {
        self.path = path
        self.cause = cause
        self.isWrite = isWrite
    }

    /// `file-unreadable` or `file-unwritable`.
    public var code: String { isWrite ? "file-unwritable" : "file-unreadable" }

    public var message: String {
        let act = isWrite ? "write" : "read"
        return switch cause {
        case .missing: "There is no file \(path)."
        case .forbidden(nil):
            "Permissions forbid the account \(FileAccess.account) to \(act) \(path); change its owner, group or mode."
        case .forbidden(let folder?):
            "Permissions forbid the account \(FileAccess.account) to \(act) \(path): it may not enter the folder \(folder)."
        case .failed(let words): "The file \(path) cannot be \(isWrite ? "written" : "read"): \(words)."
        }
    }
}

extension FileAccessError {
    /// Creates an error from a Foundation error about a file; nil if the error contains no path.
    public init?(_ error: any Error) {
        let foundation = error as NSError
        guard foundation.domain == NSCocoaErrorDomain else { return nil }
        let url = foundation.userInfo[NSURLErrorKey] as? URL
        guard let path = foundation.userInfo[NSFilePathErrorKey] as? String ?? url?.path else { return nil }
        let system = foundation.userInfo[NSUnderlyingErrorKey] as? NSError
        let isWrite = (512..<640).contains(foundation.code)
        let cause: Cause =
            switch CocoaError.Code(rawValue: foundation.code) {
            case .fileReadNoPermission, .fileWriteNoPermission: .forbidden(by: nil)
            case .fileNoSuchFile, .fileReadNoSuchFile: .missing
            default:
                .failed(
                    system.flatMap { $0.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32($0.code))) : nil }
                        ?? "the system refused it")
            }
        self.init(path: path, cause: cause, isWrite: isWrite)
    }
}
