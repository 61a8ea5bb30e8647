import FHIR
import Foundation

/// A record that a hospital gave to the person: HealthKit's HKClinicalRecord, a FHIR resource of DSTU2 or R4.
///
/// The resource is kept as it is, digits and unknown members and all. It can hold anything that hospitals write, names
/// too: it leaves only where the study's consent names clinical records.
public struct ClinicalRecord: SpecialRecord {
    /// The release of FHIR that the resource is written in.
    public enum Release: String, Sendable {
        case dstu2 = "DSTU2"
        case r4 = "R4"
        /// Another one, or the resource does not tell.
        case unknown
    }

    /// The resource as it is.
    public let fhir: JSON
    /// Its type, for example `Immunization`.
    public let resourceType: String
    public let release: Release
    /// The version as HealthKit names it: `1.0.2`, `4.0.1`.
    public var version: String?
    /// HealthKit's type of the record, for example `HKClinicalTypeIdentifierLabResultRecord`.
    public var type: String?
    /// The server that it came from, without the resource's own place: what makes its id unique.
    public var server: String?
    /// When the person's device fetched it. The record's own times stand in the resource.
    public var received: HealthInstant?
    public var origin: SpecialOrigin

    /// - Parameters:
    ///   - version: HealthKit's name of the version; the resource is looked at where it is nil or names none.
    ///   - url: the address of the resource on the hospital's server.
    /// - Returns: nil where it is no resource.
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

    /// The record with its resource written anew in R4; the fingerprint stays.
    ///
    /// - Returns: nil for what is no resource, and for a `Basic`, which says less than the original does.
    public func converted(toR4 resource: JSON) -> ClinicalRecord? {
        ClinicalRecord(self, resource)
    }

    private init?(_ other: ClinicalRecord, _ resource: JSON) {
        guard let type = resource["resourceType"]?.string, Self.isName(type), type != "Basic" else { return nil }
        self = other
        r4 = resource
    }

    /// The resource in R4, where it was converted.
    private(set) var r4: JSON?

    /// The record's id on its server.
    public var serverID: String? { fhir["id"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    public var kind: SpecialKind { .clinicalRecord }
    public var time: SpecialTime { received.map(SpecialTime.moment) ?? .unknown }

    /// The server and the resource, not when it was received: each export may fetch it again.
    public var fingerprint: SampleFingerprint {
        SampleFingerprint(
            of: Array("\(kind.identifier)\u{0}\(server ?? "")\u{0}\(release.rawValue)\u{0}".utf8) + fhir.bytes())
    }

    /// The server, the type and the id: the record of next year takes the place of this one.
    public var place: SampleFingerprint {
        serverID.map { Self.place(server: server, type: resourceType, id: $0) } ?? fingerprint
    }

    static func place(server: String?, type: String, id: String) -> SampleFingerprint {
        SampleFingerprint(of: Array("HKClinicalRecord\u{0}\(server ?? "")\u{0}\(newerName(type))\u{0}\(id)".utf8))
    }

    /// R4's name of the type: of those that HealthKit has, one had another in DSTU2.
    static func newerName(_ type: String) -> String { type == "MedicationOrder" ? "MedicationRequest" : type }

    /// Letters alone, as resource types are.
    static func isName(_ text: String) -> Bool {
        (2...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// `https://host/fhir/Observation/1` of type Observation lies on `https://host/fhir`.
    private static func server(of url: String, _ type: String) -> String? {
        guard url.utf8.count <= 2048 else { return nil }
        if let place = url.range(of: "/" + type + "/") { return String(url[..<place.lowerBound]) }
        return url.isEmpty ? nil : url
    }
}
