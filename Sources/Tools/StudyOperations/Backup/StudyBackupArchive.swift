import CArchive
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the entries of a backup in sequence: a tar of POSIX.1-2001's pax format, through libarchive.
final class StudyBackupWriter {
    private let archive: OpaquePointer
    private let path: String
    private let time: time_t

    /// - Parameters:
    ///   - descriptor: the file, open for writing; the caller closes it.
    ///   - path: the file's name, for errors.
    ///   - names: the names of all entries.
    init(descriptor: Int32, path: String, names: [String], at date: Date) throws {
        guard let archive = archive_write_new() else { throw StudyBackupFiles.failure(path, ENOMEM) }
        self.archive = archive
        self.path = path
        time = time_t(max(0, min(date.timeIntervalSince1970, 1e11)))
        // Names are bytes: they must not depend on the locale of the process that makes or reads the backup. Set only
        // if needed, because GNU tar prints a remark on it for each entry.
        let isPlain = names.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        guard archive_write_set_format_pax_restricted(archive) == ARCHIVE_OK,
            isPlain || archive_write_set_options(archive, "hdrcharset=BINARY") == ARCHIVE_OK,
            archive_write_open_fd(archive, descriptor) == ARCHIVE_OK
        else {
            archive_write_free(archive)
            throw StudyBackupFiles.failure(path)
        }
    }

    deinit {
        // Unfinished data is not flushed: the descriptor may already be used for another file.
        archive_write_fail(archive)
        archive_write_free(archive)
    }

    /// Writes an entry of bytes.
    func add(_ name: String, _ data: Data) throws {
        try begin(name, bytes: Int64(data.count))
        try data.withUnsafeBytes { try append($0) }
    }

    /// Writes an entry with the first `bytes` bytes of a file.
    func add(_ name: String, file: String, bytes: Int64) throws {
        try begin(name, bytes: bytes)
        var left = bytes
        try StudyBackupFiles.each(file, limit: bytes) { piece in
            try append(piece)
            left -= Int64(piece.count)
        }
        guard left == 0 else { throw StudyBackupFiles.failure(file, EIO) }
    }

    /// Writes the end of the archive.
    func finish() throws { try check(archive_write_close(archive)) }

    private func begin(_ name: String, bytes: Int64) throws {
        guard let entry = archive_entry_new() else { throw StudyBackupFiles.failure(path, ENOMEM) }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, name)
        archive_entry_set_size(entry, bytes)
        archive_entry_set_filetype(entry, ArchiveFileType.regular)
        archive_entry_set_perm(entry, 0o600)
        archive_entry_set_mtime(entry, time, 0)
        try check(archive_write_header(archive, entry))
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        let count = archive_write_data(archive, bytes.baseAddress, bytes.count)
        guard count == bytes.count else { throw StudyBackupFiles.failure(path, archive_errno(archive)) }
    }

    private func check(_ status: Int32) throws {
        guard status == ARCHIVE_OK else { throw StudyBackupFiles.failure(path, archive_errno(archive)) }
    }
}

/// Reads the entries of a backup in sequence. The path of an entry is never used to write a file.
final class StudyBackupReader {
    private let archive: OpaquePointer

    /// - Throws: ``ServerError`` `backup-damaged`.
    init(path: String) throws {
        guard let archive = archive_read_new() else { throw StudyBackupFiles.failure(path, ENOMEM) }
        self.archive = archive
        guard archive_read_support_format_tar(archive) == ARCHIVE_OK,
            archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK
        else {
            archive_read_free(archive)
            throw StudyBackup.damaged("it is no archive")
        }
    }

    deinit { archive_read_free(archive) }

    /// Advances to the next entry and returns its name; nil at the end.
    func next() throws -> String? {
        while true {
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            case ARCHIVE_OK: break
            case ARCHIVE_EOF: return nil
            case ARCHIVE_RETRY: continue
            default: throw StudyBackup.damaged("it cannot be read to its end")
            }
            guard let entry, UInt32(archive_entry_filetype(entry)) & ArchiveFileType.mask == ArchiveFileType.regular,
                archive_entry_hardlink(entry) == nil,
                let name = archive_entry_pathname(entry)
            else { throw StudyBackup.damaged("it holds what is no file") }
            return String(cString: name)
        }
    }

    /// Calls a closure with the entry's bytes in chunks.
    ///
    /// - Parameter limit: maximum bytes; more are an error.
    func each(limit: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var left = limit
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = buffer.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
            if count == Int(ARCHIVE_RETRY) { continue }
            guard count >= 0, Int64(count) <= left else { throw StudyBackup.damaged("it cannot be read to its end") }
            if count == 0 { return }
            left -= Int64(count)
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

/// libarchive's constants of entry types, `AE_IFMT` and `AE_IFREG`: macros that Swift does not import.
private enum ArchiveFileType {
    static let mask: UInt32 = 0o170_000
    static let regular: UInt32 = 0o100_000
}
