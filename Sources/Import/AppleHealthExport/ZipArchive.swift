import CArchive
import HealthData

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the entries of an archive one after the other, through libarchive: ZIP64 and data descriptors included.
///
/// Nothing is ever written to a path that an entry names.
final class ZipArchive: ByteSource {
    /// The kind of an entry, by its name alone.
    enum Entry {
        case candidate
        /// A file that is known by its name, which stands without folders.
        case other(ExportFile, name: String)
        /// A name that leads out of the archive, or that is none.
        case refused
    }

    /// No deflated export shrinks to less than a two-hundredth; below the floor no ratio is looked at.
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

    /// How much of the archive's own bytes is read.
    var progress: HealthProgress { HealthProgress(bytes: archive_filter_bytes(archive, -1), total: size) }

    /// Goes to the next file; nil at the end, or where the archive cannot be read further.
    func next() throws(ExportError) -> Entry? {
        head = []
        while true {
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            case ARCHIVE_OK, ARCHIVE_WARN: break
            case ARCHIVE_EOF: return nil
            case ARCHIVE_RETRY: continue
            default:
                damage = ("archive-damaged", "The archive is cut or damaged; what could be unpacked was read.")
                return nil
            }
            guard let entry else { return nil }
            if archive_entry_filetype(entry) & S_IFMT == S_IFDIR { continue }
            if archive_entry_is_encrypted(entry) != 0 { throw .archiveEncrypted }
            // The name in UTF-8 where it can be told; entries with other names are known by their content.
            let name = (archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)).map { String(cString: $0) }
            return classify(name ?? "")
        }
    }

    private func classify(_ name: String) -> Entry {
        let parts = name.split(separator: "/", omittingEmptySubsequences: true)
        if name.hasPrefix("/") || name.contains("\\") || parts.contains("..") { return .refused }
        if parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true { return .other(.resourceFork, name: "") }
        let own = String(parts.last ?? "")
        let file = ExportFile(name: own)
        return file == .xml || file == .unknown ? .candidate : .other(file, name: own)
    }

    /// The beginning of the entry. The bytes are read again by ``read(into:)``.
    func peek(_ count: Int) throws(ExportError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let place = filled
            let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, ExportError> in
                Result { () throws(ExportError) in try unpack(UnsafeMutableRawBufferPointer(rebasing: buffer[place...]))
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
                    ? ("archive-checksum", "The export does not have the checksum that the archive gives for it.")
                    : ("archive-damaged", "The archive is cut or damaged; what could be unpacked was read.")
                return 0
            }
            unpacked += Int64(count)
            if unpacked > ratioFloor, unpacked / Self.largestRatio > size { throw .archiveTooLarge }
            return count
        }
    }
}
