import Foundation

/// The kinds of file that an export holds, by the end of the name: names are translated and may hold a person's.
enum ExportFile: String {
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

    /// Whether it is one that can become a resource.
    var isRecord: Bool { self == .electrocardiogram || self == .route || self == .clinicalRecord }

    /// Whether the XML has an element that says more of it.
    var isInXML: Bool { self == .route || self == .clinicalRecord }

    /// Whether the bytes are the beginning of an export: its root element or its document type.
    static func isExport(_ head: some Collection<UInt8>) -> Bool {
        // An archive beside the unpacked export may hold its text as it is.
        guard !isArchive(head) else { return false }
        let bytes = Data(head)
        return bytes.range(of: Data("<HealthData".utf8)) != nil
            || bytes.range(of: Data("<!DOCTYPE HealthData".utf8)) != nil
    }

    /// Whether the bytes are the beginning of a ZIP archive, be it an empty or a split one.
    static func isArchive(_ head: some Collection<UInt8>) -> Bool {
        let start = Array(head.prefix(4))
        return start.prefix(2).elementsEqual([0x50, 0x4B])
            && [[3, 4], [5, 6], [0x30, 0x30], [7, 8], [6, 6]].contains(Array(start.dropFirst(2)))
    }

    /// How much of a file is looked at.
    static let headLength = 1 << 16
}
