import Foundation
import HealthData

/// The files of an export, one after the other.
protocol ExportInput: AnyObject {
    /// Whether the XML was found so far.
    var hasExport: Bool { get }
    var progress: HealthProgress { get }
    /// Returns the next file; nil at the end.
    func next() throws(ExportError) -> ExportInputFile?
}

/// A file of an export.
enum ExportInputFile {
    /// The XML. It must be read to its end before the next file is requested.
    case export(any ByteSource, isRecognised: Bool)
    /// An electrocardiogram, a route or a clinical record, with its name without folders. Routes and clinical records
    /// follow the XML, so that its entries for them are known.
    case record(ExportFileKind, name: String, any ByteSource)
    /// A file of a kind that is only counted.
    case notRead(String)
}

/// Opens all forms of exports.
enum ExportForm {
    /// Opens the export at a path: a folder, an archive, or the XML.
    static func open(path: String) throws(ExportError) -> any ExportInput {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .unreadable(errno: 2) }
        if isFolder.boolValue { return ExportFolder(path: path) }
        let head = try FileBytes.head(path: path, count: ExportFileKind.headLength)
        if head.isEmpty { throw .empty }
        if ExportFileKind.isArchive(head) { return try ExportArchive(path: path) }
        return try ExportSingleFile(path: path, isRecognised: ExportFileKind.isExport(head))
    }
}

/// A single XML file.
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

/// The unpacked folder. The export is the first file, in the order of paths, with the beginning of an export.
private final class ExportFolder: ExportInput {
    private(set) var hasExport = false
    private let path: String
    private var names: [String].Iterator
    private var bytes: FileBytes?
    /// Files that come before the XML and are read after it.
    private var waiting: [String] = []

    init(path: String) {
        self.path = path
        names =
            (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []).makeIterator()
    }

    func next() throws(ExportError) -> ExportInputFile? {
        while let name = names.next() ?? nextWaiting() {
            let file = path + "/" + name
            let parts = name.split(separator: "/")
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { continue }
            var kind = ExportFileKind(name: String(parts.last ?? ""))
            if parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true { kind = .resourceFork }
            if kind == .xml || kind == .unknown {
                if !hasExport, let head = try? FileBytes.head(path: file, count: ExportFileKind.headLength),
                    ExportFileKind.isExport(head)
                {
                    hasExport = true
                    let bytes = try FileBytes(path: file)
                    self.bytes = bytes
                    return .export(bytes, isRecognised: true)
                }
                if kind == .xml { kind = .otherXML }
            }
            if kind.isInXML, !hasExport {
                waiting.append(name)
                continue
            }
            if kind.isRecord, let bytes = try? FileBytes(path: file) {
                return .record(kind, name: String(parts.last ?? ""), bytes)
            }
            return .notRead(kind.rawValue)
        }
        return nil
    }

    /// Returns the first of the waiting files; nil without an export, which is an error for the caller.
    private func nextWaiting() -> String? {
        guard hasExport, !waiting.isEmpty else { return nil }
        names = waiting.makeIterator()
        waiting = []
        return names.next()
    }

    var progress: HealthProgress { HealthProgress(bytes: bytes?.position ?? 0, total: bytes?.size ?? 0) }
}

/// An archive. The export is the first entry with the beginning of an export.
private final class ExportArchive: ExportInput {
    private(set) var hasExport = false
    private let path: String
    private var archive: ZipArchive
    /// Number of entries that come before the XML. They are read in a second pass through the archive.
    private var waiting = 0
    private var isSecondTime = false

    init(path: String) throws(ExportError) {
        self.path = path
        archive = try ZipArchive(path: path)
    }

    func next() throws(ExportError) -> ExportInputFile? {
        while let entry = try nextEntry() {
            switch entry {
            case .refused: return .notRead("refused-path")
            case .other(let file, _) where file.isInXML && !hasExport: waiting += 1
            case .other(let file, let name):
                return file.isRecord ? .record(file, name: name, archive) : .notRead(file.rawValue)
            case .candidate:
                guard !hasExport, ExportFileKind.isExport(try archive.peek(ExportFileKind.headLength)) else {
                    return .notRead(ExportFileKind.otherXML.rawValue)
                }
                hasExport = true
                return .export(archive, isRecognised: true)
            }
        }
        return nil
    }

    private func nextEntry() throws(ExportError) -> ZipArchive.Entry? {
        if !isSecondTime {
            if let entry = try archive.next() { return entry }
            guard hasExport, waiting > 0 else { return nil }
            isSecondTime = true
            archive = try ZipArchive(path: path)
        }
        while waiting > 0, let entry = try archive.next() {
            guard case .other(let file, _) = entry, file.isInXML else { continue }
            waiting -= 1
            return entry
        }
        return nil
    }

    var progress: HealthProgress {
        let progress = archive.progress
        return isSecondTime ? HealthProgress(bytes: progress.total, total: progress.total) : progress
    }
}
