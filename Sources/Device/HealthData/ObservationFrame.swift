import FHIR

/// The part that the observations of one person and one source have in common, with its text: millions have few.
final class ObservationFrame: Sendable {
    /// The id of the Patient; nil leaves the subject out.
    let subject: String?
    let units: HealthSelection.Units
    /// The member `subject` with the comma before it; empty where it is left out.
    let subjectText: [UInt8]
    /// The member `device` with the comma before it.
    let deviceText: [UInt8]

    init(subject: String?, units: HealthSelection.Units, source: HealthSource) {
        self.subject = subject
        self.units = units
        subjectText = subject.map { Self.member("subject", ["reference": .string("Patient/" + $0)]) } ?? []
        deviceText = Self.member("device", source.reference(subject: subject))
    }

    private static func member(_ name: String, _ value: JSON) -> [UInt8] { Array(",\"\(name)\":".utf8) + value.bytes() }
}
