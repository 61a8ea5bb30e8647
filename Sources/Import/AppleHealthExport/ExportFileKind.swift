import Foundation

/// The kinds of file in an export, by the file name extension: names are translated and can contain a person's name.
enum ExportFileKind: String {
    case xml
    case electrocardiogram = "electrocardiogram-file"
    case route = "workout-route-file"
    case clinicalRecord = "clinical-record-file"
    case resourceFork = "resource-fork"
    case otherXML = "other-xml-file"
    case unknown = "other-file"

    init(name: String) {
        switch name.split(separator: ".").last?.lowercased() {
        case "xml": self = .xml
        case "csv": self = .electrocardiogram
        case "gpx": self = .route
        case "json": self = .clinicalRecord
        default: self = .unknown
        }
    }

    /// Whether the file can be converted to a resource.
    var isRecord: Bool { self == .electrocardiogram || self == .route || self == .clinicalRecord }

    /// Whether the XML has an element with more information about the file.
    var isInXML: Bool { self == .route || self == .clinicalRecord }

    /// Returns whether the bytes are the beginning of an export: its root element or its document type.
    static func isExport(_ head: some Collection<UInt8>) -> Bool {
        // An archive next to the unpacked export can contain the same text uncompressed.
        guard !isArchive(head) else { return false }
        let bytes = Data(head)
        return bytes.range(of: Data("<HealthData".utf8)) != nil
            || bytes.range(of: Data("<!DOCTYPE HealthData".utf8)) != nil
    }

    /// Returns whether the bytes are the beginning of a ZIP archive, including an empty or a split one.
    static func isArchive(_ head: some Collection<UInt8>) -> Bool {
        let start = Array(head.prefix(4))
        return start.prefix(2).elementsEqual([0x50, 0x4B])
            && [[3, 4], [5, 6], [0x30, 0x30], [7, 8], [6, 6]].contains(Array(start.dropFirst(2)))
    }

    /// Number of bytes that are examined to recognise a file.
    static let headLength = 1 << 16
}
