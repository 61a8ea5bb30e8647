import FHIR
import Foundation
import HealthData
import ObservationTemplates
import RecordStorage
import SleepNights

/// Makes records and facts of health observations without parsing the JSON that was just written of them.
///
/// The first sample of each kind is processed in full: its Observation is made as JSON, from which ``FactMapping`` and
/// search extract their values. The results are kept as a template, because the next sample of the kind differs only
/// in value, time and identity. Samples with components or members are always processed in full.
struct HealthFactMapping {
    /// The samples of one kind have the same concepts and the same search codes.
    private struct Kind: Hashable {
        let type: HealthType
        /// The value of a coded type.
        let option: String?
        /// The source of the samples. The template keeps a reference to it.
        let source: ObjectIdentifier
        let isEnteredByHand: Bool
        let hasUUID: Bool
    }

    /// Maximum number of kinds. At the limit, all templates are discarded.
    private static let maximumKinds = 10_000

    /// The codes, facts and concepts that the samples of a kind have in common.
    private struct Template {
        let searchEntries: TemplateSearchEntries
        let source: HealthSource
        let subject: String?
        let facts: FactTemplate
    }

    private var templates: [Kind: Template] = [:]
    private let health: HealthConceptTable

    /// - Parameter health: the study's types.
    init(health: HealthConceptTable = .standard) { self.health = health }

    /// Returns the record and the facts of an observation.
    ///
    /// - Parameter content: the observation as JSON.
    mutating func map(_ observation: HealthObservation, content: [UInt8], receivedAt: Date) -> (NewRecord, FactSet) {
        let id = observation.id
        guard let kind = Self.kind(of: observation, content: content) else {
            return whole(observation, id: id, content: content, receivedAt: receivedAt)
        }
        if let known = templates[kind], known.subject == observation.subject,
            let facts = Self.facts(of: observation, known),
            let record = Self.record(of: observation, id: id, content: content, known.searchEntries)
        {
            return (record, facts)
        }
        let made = whole(observation, id: id, content: content, receivedAt: receivedAt)
        if templates.count >= Self.maximumKinds { templates = [:] }
        if templates[kind]?.subject != observation.subject {
            templates[kind] = Self.template(made.0, facts: made.1, of: observation)
        }
        return made
    }

    /// Makes the record and the facts from the observation's JSON, which is correct for every sample.
    func whole(
        _ observation: HealthObservation, id: String, content: [UInt8], receivedAt: Date
    ) -> (NewRecord, FactSet) {
        let resource = StorableText.resource(observation.observation.resource)
        let facts = FactMapping.facts(
            of: Observation(resource.object), health: health, receivedAt: receivedAt)
        return (NewRecord(resource, id: id, subject: observation.subject, content: Data(content)), facts)
    }

    /// Returns the kind of an observation; nil if it is always processed in full.
    private static func kind(of observation: HealthObservation, content: [UInt8]) -> Kind? {
        let sample = observation.sample
        // FHIR allows offsets of up to 14 hours; a time with a larger one is invalid. With original units, the samples
        // of a type have several units.
        guard abs(Int(sample.start.offsetMinutes)) <= 840, abs(Int(sample.end.offsetMinutes)) <= 840,
            sample.end.seconds >= sample.start.seconds, observation.units == .metric, sample.members.isEmpty,
            !content.contains(component)
        else { return nil }
        func kind(_ option: String?) -> Kind {
            Kind(
                type: sample.type, option: option, source: ObjectIdentifier(sample.source),
                isEnteredByHand: sample.context.wasUserEntered == true, hasUUID: sample.uuid != nil)
        }
        switch sample.value {
        case .quantity, .event: return kind(nil)
        case .option(let option): return kind(option.code)
        default: return nil
        }
    }

    private static let component = Array("\"component\":".utf8)

    private static func template(
        _ record: NewRecord, facts: FactSet, of observation: HealthObservation
    ) -> Template? {
        guard let facts = FactTemplate(facts, isQuantity: number(of: observation) != nil),
            let searchEntries = TemplateSearchEntries(of: record)
        else { return nil }
        return Template(
            searchEntries: searchEntries, source: observation.sample.source, subject: observation.subject, facts: facts)
    }

    /// Returns the facts; nil if the column cannot store the number.
    private static func facts(of observation: HealthObservation, _ known: Template) -> FactSet? {
        let sample = observation.sample
        let isMoment = sample.start.seconds == sample.end.seconds
        let time = FactTime(
            start: sample.start.date, end: isMoment ? nil : sample.end.date, source: .effective,
            text: sample.start.text)
        return known.facts.facts(number(of: observation), time: time, source: FactSource(SourceRank(sample)))
    }

    /// Returns the number; nil if the value is not a quantity.
    private static func number(of observation: HealthObservation) -> JSONNumber? {
        if case .quantity(let quantity) = observation.sample.value { quantity.number } else { nil }
    }

    private static func record(
        of observation: HealthObservation, id: String, content: [UInt8], _ searchEntries: TemplateSearchEntries
    ) -> NewRecord? {
        let sample = observation.sample
        // In the order of the observation.
        let identifiers = [sample.uuid?.uuidString, observation.fingerprint.text].compactMap { $0 }
        return NewRecord(
            id: id, subject: observation.subject, content: Data(content), template: searchEntries,
            identifiers: identifiers,
            quantity: number(of: observation)?.text,
            milliseconds: sample.start.seconds * 1000..<(sample.end.seconds + 1) * 1000)
    }
}

extension [UInt8] {
    /// Whether the array contains these bytes.
    fileprivate func contains(_ needle: [UInt8]) -> Bool {
        guard let first = needle.first, count >= needle.count else { return false }
        return withUnsafeBufferPointer { bytes in
            needle.withUnsafeBufferPointer { needle in
                var offset = 0
                while offset <= bytes.count - needle.count {
                    if bytes[offset] == first,
                        bytes[offset + 1] == needle[1],
                        bytes[offset..<offset + needle.count].elementsEqual(needle)
                    {
                        return true
                    }
                    offset += 1
                }
                return false
            }
        }
    }
}
