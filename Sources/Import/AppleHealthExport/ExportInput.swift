import Foundation
import HealthData

/// The files of an export one after the other.
protocol ExportInput: AnyObject {
    /// Whether the XML was among the files so far.
    var hasExport: Bool { get }
    var progress: HealthProgress { get }
    /// The next file; nil at the end.
    func next() throws(ExportError) -> ExportInputFile?
}

/// A file of an export.
enum ExportInputFile {
    /// The XML. It is to be read to its end before the next file is asked for.
    case export(any ByteSource, isRecognised: Bool)
    /// An electrocardiogram, a route or a clinical record.
    case record(ExportFile, any ByteSource)
    /// A file of a kind that is only counted.
    case notRead(String)
}

/// Opens exports of each form.
enum ExportForm {
    /// The export at a path: a folder, an archive, or the XML.
    static func open(path: String) throws(ExportError) -> any ExportInput {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .unreadable(errno: 2) }
        if isFolder.boolValue { return ExportFolder(path: path) }
        let head = try FileBytes.head(path: path, count: ExportFile.headLength)
        if head.isEmpty { throw .empty }
        if ExportFile.isArchive(head) { return try ExportArchive(path: path) }
        return try ExportSingleFile(path: path, isRecognised: ExportFile.isExport(head))
    }
}

/// The XML alone.
private final class ExportSingleFile: ExportInput {
    private(set) var hasExport = false
    private let bytes: FileBytes
    private let isRecognised: Bool

    init(path: String, isRecognised: Bool) throws(ExportError) {
        bytes = try FileBytes(path: path)
        self.isRecognised = isRecognised
    }

    func next() throws(ExportError) -> ExportInputFile? {
        guard !hasExport else { return nil }
        hasExport = true
        return .export(bytes, isRecognised: isRecognised)
    }

    var progress: HealthProgress { HealthProgress(bytes: bytes.position, total: bytes.size) }
}

/// The unpacked folder. The export is the first file, in the order of paths, that begins like one.
private final class ExportFolder: ExportInput {
    private(set) var hasExport = false
    private let path: String
    private var names: [String].Iterator
    private var bytes: FileBytes?

    init(path: String) {
        self.path = path
        names =
            (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []).makeIterator()
    }

    func next() throws(ExportError) -> ExportInputFile? {
        while let name = names.next() {
            let file = path + "/" + name
            let parts = name.split(separator: "/")
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { continue }
            var kind = ExportFile(name: String(parts.last ?? ""))
            if parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true { kind = .resourceFork }
            if kind == .xml || kind == .unknown {
                if !hasExport, let head = try? FileBytes.head(path: file, count: ExportFile.headLength),
                    ExportFile.isExport(head)
                {
                    hasExport = true
                    let bytes = try FileBytes(path: file)
                    self.bytes = bytes
                    return .export(bytes, isRecognised: true)
                }
                if kind == .xml { kind = .otherXML }
            }
            if kind.isRecord, let bytes = try? FileBytes(path: file) { return .record(kind, bytes) }
            return .notRead(kind.rawValue)
        }
        return nil
    }

    var progress: HealthProgress { HealthProgress(bytes: bytes?.position ?? 0, total: bytes?.size ?? 0) }
}

/// The archive. The export is the first entry that begins like one.
private final class ExportArchive: ExportInput {
    private(set) var hasExport = false
    private let archive: ZipArchive

    init(path: String) throws(ExportError) {
        archive = try ZipArchive(path: path)
    }

    func next() throws(ExportError) -> ExportInputFile? {
        guard let entry = try archive.next() else { return nil }
        switch entry {
        case .refused: return .notRead("refused-path")
        case .other(let file): return file.isRecord ? .record(file, archive) : .notRead(file.rawValue)
        case .candidate:
            guard !hasExport, ExportFile.isExport(try archive.peek(ExportFile.headLength)) else {
                return .notRead(ExportFile.otherXML.rawValue)
            }
            hasExport = true
            return .export(archive, isRecognised: true)
        }
    }

    var progress: HealthProgress { archive.progress }
}
