import FHIR
import Foundation

/// A record that the person received from a hospital: HealthKit's HKClinicalRecord, a FHIR resource of DSTU2 or R4.
///
/// The resource is stored unchanged, including digits and unknown members. It can contain any text of a hospital,
/// including names, so it is released only if the study's consent names clinical records.
public struct ClinicalRecord: SpecialRecord {
    /// The FHIR release of the resource.
    public enum Release: String, Sendable {
        case dstu2 = "DSTU2"
        case r4 = "R4"
        /// Another release, or a resource that does not identify its release.
        case unknown
    }

    /// The unchanged resource.
    public let fhir: JSON
    /// Its type, for example `Immunization`.
    public let resourceType: String
    public let release: Release
    /// The version in HealthKit's form: `1.0.2`, `4.0.1`.
    public var version: String?
    /// HealthKit's type of the record, for example `HKClinicalTypeIdentifierLabResultRecord`.
    public var type: String?
    /// The base URL of its server, which makes its id unique.
    public var server: String?
    /// The time at which the person's device fetched the record. The record's own times are in the resource.
    public var received: HealthInstant?
    public var origin: SpecialOrigin

    /// - Parameters:
    ///   - version: HealthKit's name of the version; if it is nil or unknown, the release is detected from the
    ///     resource.
    ///   - url: the URL of the resource on the hospital's server.
    /// - Returns: nil if it is not a resource.
    public init?(
        _ fhir: JSON, version: String? = nil, type: String? = nil, url: String? = nil, received: HealthInstant? = nil,
        origin: SpecialOrigin = SpecialOrigin()
    ) {
        guard let resourceType = fhir["resourceType"]?.string, Self.isName(resourceType) else { return nil }
        self.fhir = fhir
        self.resourceType = resourceType
        self.version = version
        self.type = type
        self.received = received
        self.origin = origin
        let named = version.map(Release.init(version:)) ?? .unknown
        release = named == .unknown ? Release(of: fhir, resourceType) : named
        server = url.flatMap { Self.server(of: $0, resourceType) }
    }

    /// Returns the record with its resource converted to R4; the fingerprint is unchanged.
    ///
    /// - Returns: nil if it is not a resource, and for a `Basic`, which has less information than the original.
    public func converted(toR4 resource: JSON) -> ClinicalRecord? {
        ClinicalRecord(self, resource)
    }

    private init?(_ other: ClinicalRecord, _ resource: JSON) {
        guard let type = resource["resourceType"]?.string, Self.isName(type), type != "Basic" else { return nil }
        self = other
        r4 = resource
    }

    /// The resource in R4, if it was converted.
    private(set) var r4: JSON?

    /// The record's id on its server.
    public var serverID: String? { fhir["id"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    public var kind: SpecialKind { .clinicalRecord }
    public var time: SpecialTime { received.map(SpecialTime.moment) ?? .unknown }

    /// The fingerprint of the server and the resource, without the time of receipt, because each export can fetch the
    /// record again.
    public var fingerprint: SampleFingerprint {
        SampleFingerprint(
            of: Array("\(kind.identifier)\u{0}\(server ?? "")\u{0}\(release.rawValue)\u{0}".utf8) + fhir.bytes())
    }

    /// The fingerprint of the server, the type and the id: a later version of the record replaces this one.
    public var resourceFingerprint: SampleFingerprint {
        serverID.map { Self.resourceFingerprint(server: server, type: resourceType, id: $0) } ?? fingerprint
    }

    static func resourceFingerprint(server: String?, type: String, id: String) -> SampleFingerprint {
        SampleFingerprint(of: Array("HKClinicalRecord\u{0}\(server ?? "")\u{0}\(newerName(type))\u{0}\(id)".utf8))
    }

    /// Returns R4's name of the type. Of HealthKit's types, only one had another name in DSTU2.
    static func newerName(_ type: String) -> String { type == "MedicationOrder" ? "MedicationRequest" : type }

    /// Returns whether the text consists of letters, like the names of resource types.
    static func isName(_ text: String) -> Bool {
        (2...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Returns the base URL: `https://host/fhir` for `https://host/fhir/Observation/1` of type Observation.
    private static func server(of url: String, _ type: String) -> String? {
        guard url.utf8.count <= 2048 else { return nil }
        if let range = url.range(of: "/" + type + "/") { return String(url[..<range.lowerBound]) }
        return url.isEmpty ? nil : url
    }
}
