import FHIR
import Foundation
import Storage

/// One fact before it is numbered.
struct ObservationFact: Sendable, Hashable {
    /// The kind of content, for a study's rules of de-identification.
    enum Content: Sendable, Hashable {
        case data
        /// A date or a time.
        case date
        /// A participant's own words in answer to the question with this linkId.
        case words(linkID: String?)
    }

    let concept: String
    var value: FactValue
    /// The instance, from 1. Facts of one repetition of a group have the same; several of one concept in it have
    /// different ones.
    var instance = 1
    /// The value as sent, if it differs from the stored one.
    var original: FactValue?
    /// The warning about a value that could not be stored as intended.
    var warning: LoadWarning?
    var content = Content.data
    /// The time of measurement for `start_date` and `end_date`, if it differs from the resource's.
    var time: SQLValue?
}

/// The time of a resource's facts, and its source.
struct FactTime: Sendable, Hashable {
    /// The element that contains the time. The raw value is the modifier's code, if there is one.
    enum Source: String, Sendable, CaseIterable {
        case effective = "TRIBUTARY:TIME-EFFECTIVE"
        case authored = "TRIBUTARY:TIME-AUTHORED"
        case issued = "TRIBUTARY:TIME-ISSUED"
        case encounter = "TRIBUTARY:TIME-ENCOUNTER"
        case received = "TRIBUTARY:TIME-RECEIVED"

        /// Whether a modifier of each fact records the source. The time of measurement or of answering needs none.
        var hasModifier: Bool { self != .effective && self != .authored }

        var title: String {
            switch self {
            case .effective: "Time of the measurement"
            case .authored: "Time of answering"
            case .issued: "Time of issue"
            case .encounter: "Period of the encounter"
            case .received: "Time of receipt"
            }
        }
    }

    let start: Date
    let end: Date?
    let source: Source
    /// The time as written, which keeps its precision and the person's offset.
    let text: String?
    /// The precision of the start and of the end.
    var precision = DateTime.Precision.second
    var endPrecision = DateTime.Precision.second

    /// The day in the person's time zone, `YYYY-MM-DD`: that of the time as written, otherwise that of UTC.
    var day: String {
        if let text, text.utf8.count >= 10, text.utf8.dropFirst(7).first == UInt8(ascii: "-") {
            return String(text.prefix(10))
        }
        return String(WarehouseTime.text(start).prefix(10))
    }

    /// i2b2's two letters for a visit: the precision of its end, then that of its start.
    var visitStatus: String {
        func letter(_ precision: DateTime.Precision, _ letters: (String, String, String, String)) -> String {
            switch precision {
            case .year: letters.0
            case .month: letters.1
            case .day: letters.2
            case .second, .fraction: letters.3
            }
        }
        return letter(end == nil ? precision : endPrecision, ("X", "M", "Y", "S"))
            + letter(precision, ("F", "B", "D", "C"))
    }
}

/// All facts that the warehouse takes from one resource.
struct FactSet: Sendable {
    private(set) var facts: [ObservationFact] = []
    /// Concepts that the facts use and that no form contains, each once.
    private(set) var concepts: [ConceptUse] = []
    let time: FactTime
    /// The source of the resource.
    let source: FactSource
    /// Warnings about values that could not be stored as intended. They contain no health data.
    private(set) var warnings: Set<LoadWarning> = []
    /// The number of repetitions in the resource, including the first.
    private let repetitions: Int
    private var instances: [InstanceKey: Int] = [:]
    private var used: Set<String> = []

    /// The key within which facts of one concept must be distinguished.
    private struct InstanceKey: Hashable {
        let concept: String
        let repetition: Int
        var time: SQLValue?
    }

    init(time: FactTime, source: FactSource, repetitions: Int = 1) {
        self.time = time
        self.source = source
        self.repetitions = repetitions
    }

    /// Creates a set from the facts of an earlier resource that differs only in its time.
    init(time: FactTime, source: FactSource, facts: [ObservationFact], concepts: [ConceptUse]) {
        self.init(time: time, source: source)
        self.facts = facts
        self.concepts = concepts
    }

    /// Adds a fact, numbered by its repetition. Further facts of its concept in that repetition get numbers that no
    /// repetition has.
    ///
    /// - Parameter use: the concept for the ontology; nil if the ontology does not need it.
    mutating func add(
        _ code: String, use: ConceptUse?, value: FactValue, repetition: Int = Repetitions.first,
        content: ObservationFact.Content = .data
    ) {
        add(code, use: use, measured: MeasuredValue(value), repetition: repetition, content: content)
    }

    /// Adds a fact of a FHIR value in its concept's unit, if there is a value to load.
    ///
    /// - Parameter linkID: the linkId of the answered question.
    mutating func add(
        _ code: String, use: (Concept.Kind) -> ConceptUse?, value: some ChoiceValue, in unit: ConceptUnit,
        repetition: Int = Repetitions.first, linkID: String? = nil
    ) {
        guard let measured = MeasuredValue(value, in: unit) else { return }
        let content: ObservationFact.Content =
            switch value.type {
            case "Decimal", "Integer", "Quantity", "Boolean", "Time", "Code", "Coding", "Attachment": .data
            case "Date", "DateTime", "Instant": .date
            // A complex value may contain text.
            default: .words(linkID: linkID)
            }
        add(code, use: use(measured.kind), measured: measured, repetition: repetition, content: content)
    }

    /// Adds a fact of one of several values, with a time of its own.
    mutating func add(
        _ code: String, use: (Concept.Kind) -> ConceptUse?, measured: MeasuredValue, at time: Date
    ) {
        add(
            code, use: use(measured.kind), measured: measured, repetition: Repetitions.first, content: .data,
            time: WarehouseTime.value(time))
    }

    private mutating func add(
        _ code: String, use: ConceptUse?, measured: MeasuredValue, repetition: Int,
        content: ObservationFact.Content, time: SQLValue? = nil
    ) {
        let key = InstanceKey(concept: code, repetition: repetition, time: time)
        let earlier = instances[key, default: 0]
        instances[key] = earlier + 1
        self.use(use)
        if let warning = measured.warning { warnings.insert(warning) }
        facts.append(
            ObservationFact(
                concept: code, value: measured.value, instance: repetition + earlier * repetitions,
                original: measured.original, warning: measured.warning, content: content, time: time))
    }

    /// Adds a concept to those that the ontology must contain.
    mutating func use(_ use: ConceptUse?) {
        if let use, used.insert(use.code).inserted { concepts.append(use) }
    }
}

/// A concept that a fact uses, and its position if the ontology must add it. It contains no free text: the name is the
/// code or our own title.
struct ConceptUse: Sendable, Hashable {
    enum Position: Sendable, Hashable {
        /// Below `Health`, in the folder of its type or among the others, and also below the code of its terminology.
        case health(TerminologyCode?)
        /// Below another concept, wherever that is.
        case below(code: String, segment: String)
    }

    let code: String
    let name: String
    let kind: Concept.Kind
    let position: Position
}
