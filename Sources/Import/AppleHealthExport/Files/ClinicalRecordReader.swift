import FHIR
import HealthData

/// The entry of a clinical record in the XML of an export: data that the file itself does not contain.
public struct ClinicalRecordEntry: Sendable, Hashable {
    /// HealthKit's type, or the type of the resource in older exports.
    public let type: String?
    /// The URL of the resource on the hospital's server.
    public let url: String?
    /// The version of FHIR: `1.0.2` or `4.0.1`.
    public let version: String?
    public let received: HealthInstant?
    /// The path of the file in the folder of the export, without a leading slash.
    public let path: String

    /// Reads the attributes of a `ClinicalRecord`, except the name of the hospital.
    ///
    /// - Throws: ``SkipReason/valueMissing`` if there is no file path.
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

/// Reads a clinical record: one FHIR resource as JSON, in DSTU2 or R4. It is read into memory, up to ``maximumBytes``.
public struct ClinicalRecordReader {
    private var content: [UInt8] = []
    private let entry: ClinicalRecordEntry?
    private let maximumBytes: Int

    /// The problem of the file. If there is one, the caller can stop feeding bytes.
    public private(set) var problem: ExportFileProblem?

    /// Maximum size of a file. Resources contain documents, so they can be large.
    public static let maximumBytes = 16 << 20
    /// Maximum number of JSON values in a resource: each takes much more memory than its text.
    static let maximumValues = 400_000
    private var values = 0

    /// - Parameter entry: the entry for the file in the XML; nil if there is none.
    public init(_ entry: ClinicalRecordEntry? = nil) { self.init(entry, maximumBytes: Self.maximumBytes) }

    init(_ entry: ClinicalRecordEntry?, maximumBytes: Int) {
        self.entry = entry
        self.maximumBytes = maximumBytes
    }

    public mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard problem == nil else { return }
        // A file that does not begin with an object is not a resource, whatever its length.
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
