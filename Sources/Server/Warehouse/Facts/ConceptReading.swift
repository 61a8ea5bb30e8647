import FHIR
import HealthTypes
import Synchronization

/// What a resource's concept comes to in the warehouse: the code that its facts have, and what the ontology may say of it.
struct ConceptReading: Sendable, Hashable {
    let code: String
    /// The name that the ontology may give to it; nil where it may be words of the device.
    let name: String?
    let terminology: TerminologyCode?
    /// The quantity that is measured, where the concept is a health type that has one.
    let measure: HealthMeasure?

    /// The reading of a health type's concept is that of the type, whichever of its codes was sent; of any other concept it
    /// is that of its preferred coding. Nil for a concept without codes and words.
    init?(_ concept: CodeableConcept, types: HealthTypeTable) {
        let type = types.type(of: concept.coding).flatMap { $0.kind == .clinicalRecord ? nil : $0 }
        let chief = FactMapping.preferred(type?.codings ?? concept.coding)
        guard let code = FactMapping.code(of: chief, or: concept) else { return nil }
        self.code = code
        name = chief.flatMap(FactMapping.publishedName)
        terminology = chief.flatMap(TerminologyCode.init)
        measure = type?.measure
    }

    /// The concept as facts use it.
    func use(_ kind: Concept.Kind) -> ConceptUse? {
        name.map { ConceptUse(code: code, name: $0, kind: kind, place: .health(terminology)) }
    }
}

/// The concepts that were met, with what they come to: a device says the same of each of its values.
final class ConceptReadings: Sendable {
    /// More are not remembered, whatever devices send.
    private static let most = 1_000
    /// A longer concept is not remembered.
    private static let mostCodings = 8

    /// A concept with its hash, which nobody waits for.
    private struct Key: Hashable {
        private let json: JSON
        private let number: Int

        init(_ json: JSON) { (self.json, number) = (json, json.hashValue) }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }

        static func == (left: Key, right: Key) -> Bool { left.number == right.number && left.json == right.json }
    }

    private let types: HealthTypeTable
    private let known = Mutex<[Key: ConceptReading?]>([:])

    init(_ types: HealthTypeTable) { self.types = types }

    /// What a concept comes to; nil for one without codes and words.
    func reading(of concept: CodeableConcept) -> ConceptReading? {
        let key = Key(concept.json)
        if let known = known.withLock({ $0[key] }) { return known }
        let made = ConceptReading(concept, types: types)
        guard concept.coding.count <= Self.mostCodings, concept.text?.utf8.count ?? 0 <= 256 else { return made }
        known.withLock { known in
            if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
            known[key] = .some(made)
        }
        return made
    }
}
