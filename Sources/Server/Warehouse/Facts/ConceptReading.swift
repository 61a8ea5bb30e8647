import FHIR
import HealthTypes
import Synchronization

/// The warehouse's form of a resource's concept: the code of its facts, and the properties that the ontology may
/// contain.
struct ConceptReading: Sendable, Hashable {
    let code: String
    /// The name for the ontology; nil if it may be text from the device.
    let name: String?
    let terminology: TerminologyCode?
    /// The measured quantity, if the concept is a health type with one.
    let measure: HealthMeasure?
    /// The unit of the question, if the concept is one of C3-PRO's activity summaries.
    let unit: ConceptUnit?

    /// Creates the form of a concept. All codes of a health type give that of the type, a code of C3-PRO's activity
    /// summaries that of the question, which the ontology always contains; any other concept gives that of its
    /// preferred coding. nil for a concept without codes and text.
    init?(_ concept: CodeableConcept, types: HealthTypeTable) {
        if let question = ActivitySummaryForm.question(of: concept.coding), let code = question.concept.code {
            (self.code, unit) = (code, question.unit)
            (name, terminology, measure) = (nil, nil, nil)
            return
        }
        unit = nil
        let type = types.type(of: concept.coding).flatMap { $0.kind == .clinicalRecord ? nil : $0 }
        let chief = FactMapping.preferred(type?.codings ?? concept.coding)
        guard let code = FactMapping.code(of: chief, or: concept) else { return nil }
        self.code = code
        name = chief.flatMap(FactMapping.publishedName)
        terminology = chief.flatMap(TerminologyCode.init)
        measure = type?.measure
    }

    /// Returns the concept for use by facts.
    func use(_ kind: Concept.Kind) -> ConceptUse? {
        name.map { ConceptUse(code: code, name: $0, kind: kind, position: .health(terminology)) }
    }
}

/// A cache of converted concepts: a device sends the same concept with each of its values.
final class ConceptReadings: Sendable {
    /// Maximum number of cached concepts, whatever devices send.
    private static let maximumCount = 1_000
    /// Maximum number of codings of a cached concept.
    private static let maximumCodings = 8

    /// A concept with its precomputed hash, so that the lock is held for a short time.
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

    /// Returns the converted concept; nil for one without codes and text.
    func reading(of concept: CodeableConcept) -> ConceptReading? {
        let key = Key(concept.json)
        if let known = known.withLock({ $0[key] }) { return known }
        let made = ConceptReading(concept, types: types)
        guard concept.coding.count <= Self.maximumCodings, concept.text?.utf8.count ?? 0 <= 256 else { return made }
        known.withLock { known in
            if known.count >= Self.maximumCount { known.removeAll(keepingCapacity: true) }
            known[key] = .some(made)
        }
        return made
    }
}
