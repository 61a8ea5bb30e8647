import CArchive
import HealthData

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the entries of an archive one after the other with libarchive, which supports ZIP64 and data descriptors.
///
/// Nothing is ever written to the path of an entry.
final class ZipArchive: ByteSource {
    /// The kind of an entry, by its name alone.
    enum Entry {
        case candidate
        /// A file of a kind that is recognised by its name, with its name without folders.
        case other(ExportFileKind, name: String)
        /// An invalid path, or one that leads out of the archive.
        case refused
    }

    /// Maximum ratio of unpacked to packed size. A deflated export does not shrink to less than a two-hundredth; below
    /// the floor the ratio is not checked.
    private static let largestRatio: Int64 = 250
    private let ratioFloor: Int64

    private let archive: OpaquePointer
    private let size: Int64
    private var unpacked: Int64 = 0
    private var head: ArraySlice<UInt8> = []
    private(set) var damage: (code: String, message: String)?

    init(path: String, ratioFloor: Int64 = 64 << 20) throws(ExportError) {
        self.ratioFloor = ratioFloor
        guard let archive = archive_read_new() else { throw .unreadable(errno: ENOMEM) }
        self.archive = archive
        var status = stat()
        size = stat(path, &status) == 0 ? Int64(status.st_size) : 0
        archive_read_support_format_zip(archive)
        guard archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
            archive_read_free(archive)
            throw .notAnExport
        }
    }

    deinit { archive_read_free(archive) }

    /// The number of bytes of the archive that were read.
    var progress: HealthProgress { HealthProgress(bytes: archive_filter_bytes(archive, -1), total: size) }

    /// Moves to the next file; nil at the end, or if the archive cannot be read further.
    func next() throws(ExportError) -> Entry? {
        head = []
        while true {
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            case ARCHIVE_OK, ARCHIVE_WARN: break
            case ARCHIVE_EOF: return nil
            case ARCHIVE_RETRY: continue
            default:
                damage = ("archive-damaged", "The archive is damaged or truncated; the readable files were read.")
                return nil
            }
            guard let entry else { return nil }
            if archive_entry_filetype(entry) & S_IFMT == S_IFDIR { continue }
            if archive_entry_is_encrypted(entry) != 0 { throw .archiveEncrypted }
            // The name in UTF-8 if possible; entries with other names are recognised by their content.
            let name = (archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)).map { String(cString: $0) }
            return classify(name ?? "")
        }
    }

    private func classify(_ name: String) -> Entry {
        let parts = name.split(separator: "/", omittingEmptySubsequences: true)
        if name.hasPrefix("/") || name.contains("\\") || parts.contains("..") { return .refused }
        if parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true { return .other(.resourceFork, name: "") }
        let own = String(parts.last ?? "")
        let file = ExportFileKind(name: own)
        return file == .xml || file == .unknown ? .candidate : .other(file, name: own)
    }

    /// Returns the beginning of the entry. ``read(into:)`` returns the same bytes again.
    func peek(_ count: Int) throws(ExportError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let start = filled
            let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, ExportError> in
                Result { () throws(ExportError) in try unpack(UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
                }
            }
            let got = try result.get()
            if got == 0 { break }
            filled += got
        }
        head = bytes[..<filled]
        return head
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        guard !head.isEmpty else { return try unpack(buffer) }
        let count = min(head.count, buffer.count)
        buffer.copyBytes(from: head.prefix(count))
        head = head.dropFirst(count)
        return count
    }

    private func unpack(_ buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        while true {
            let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
            if count == Int(ARCHIVE_RETRY) { continue }
            guard count >= 0 else {
                damage =
                    count == Int(ARCHIVE_WARN)
                    ? ("archive-checksum", "The export's checksum differs from the one in the archive.")
                    : ("archive-damaged", "The archive is damaged or truncated; the readable files were read.")
                return 0
            }
            unpacked += Int64(count)
            if unpacked > ratioFloor, unpacked / Self.largestRatio > size { throw .archiveTooLarge }
            return count
        }
    }
}
