import FHIR
import HealthData

/// The entry of a clinical record in the XML of an export: what the file itself does not say.
public struct ClinicalRecordEntry: Sendable, Hashable {
    /// HealthKit's type, or the type of the resource in older exports.
    public let type: String?
    /// The address of the resource on the hospital's server.
    public let url: String?
    /// The version of FHIR: `1.0.2` or `4.0.1`.
    public let version: String?
    public let received: HealthInstant?
    /// The file, from the folder of the export: without a slash at the beginning.
    public let path: String

    /// Reads the attributes of a `ClinicalRecord`. The name of the hospital is left behind.
    ///
    /// - Throws: ``SkipReason/valueMissing`` where it names no file.
    public init(_ attributes: (String) -> String?) throws(SkipReason) {
        let path = (attributes("resourceFilePath") ?? "").drop { $0 == "/" }
        guard !path.isEmpty, !path.split(separator: "/").contains("..") else { throw .valueMissing }
        self.path = String(path)
        type = attributes("type").flatMap { $0.isEmpty ? nil : $0 }
        url = attributes("sourceURL").flatMap { $0.isEmpty ? nil : $0 }
        version = attributes("fhirVersion").flatMap { $0.isEmpty ? nil : $0 }
        received = attributes("receivedDate").flatMap(ExportMoment.instant)
    }
}

/// A clinical record of an export.
public struct ClinicalRecordFile: Sendable {
    public let record: ClinicalRecord
    public let notes: Set<ExportFileNote>
}

/// Reads a clinical record: one FHIR resource as JSON, of DSTU2 or R4. It is held in memory, up to ``maximumBytes``.
public struct ClinicalRecordReader {
    private var content: [UInt8] = []
    private let entry: ClinicalRecordEntry?
    private let maximumBytes: Int

    /// Why nothing comes of the file: more bytes change nothing, and the caller may stop.
    public private(set) var problem: ExportFileProblem?

    /// Resources hold documents, so they can be large.
    public static let maximumBytes = 16 << 20
    /// As many values may a resource have: each takes far more memory than text.
    static let maximumValues = 400_000
    private var values = 0

    /// - Parameter entry: what the XML says of the file; nil where it does not name it.
    public init(_ entry: ClinicalRecordEntry? = nil) { self.init(entry, maximumBytes: Self.maximumBytes) }

    init(_ entry: ClinicalRecordEntry?, maximumBytes: Int) {
        self.entry = entry
        self.maximumBytes = maximumBytes
    }

    public mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard problem == nil else { return }
        // What does not begin as an object is none, however long it is.
        if content.isEmpty, let first = piece.first(where: { $0 > 0x20 }), first != UInt8(ascii: "{"), first != 0xEF {
            problem = .notJSON
            return
        }
        for byte in piece where byte == 0x2C || byte == 0x5B || byte == 0x7B { values += 1 }
        if content.count + piece.count > maximumBytes || values > Self.maximumValues {
            problem = .tooLarge
            content = []
        } else {
            content.append(contentsOf: piece)
        }
    }

    public mutating func finish() -> Result<ClinicalRecordFile, ExportFileProblem> {
        if let problem { return .failure(problem) }
        if content.isEmpty { return .failure(.empty) }
        let bytes = content
        content = []
        guard let json = try? JSON(bytes) else { return .failure(.notJSON) }
        guard
            let record = ClinicalRecord(
                json, version: entry?.version, type: entry?.type, url: entry?.url, received: entry?.received)
        else { return .failure(.notAResource) }
        guard record.resourceType != "Patient" else { return .failure(.isPatient) }
        return .success(
            ClinicalRecordFile(record: record, notes: record.release == .unknown ? [.releaseUnknown] : []))
    }
}
