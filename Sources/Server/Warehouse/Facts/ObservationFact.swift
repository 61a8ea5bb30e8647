import FHIR
import Foundation
import Storage

/// One fact before it has numbers: what, when, how much.
struct ObservationFact: Sendable, Hashable {
    /// What a study's rules of de-identification must know of a value.
    enum Content: Sendable, Hashable {
        case data
        /// A date or a time.
        case date
        /// A participant's own words, as the answer to a question of this linkId.
        case words(linkID: String?)
    }

    let concept: String
    var value: FactValue
    /// From 1. Facts of one repetition of a group have the same; several of one concept within it are told apart.
    var instance = 1
    /// What was sent, where it differs from what is kept.
    var original: FactValue?
    /// What could not be kept as it should be.
    var warning: LoadWarning?
    var content = Content.data
    /// When it was measured, as `start_date` and `end_date` have it, where that is not the time of its resource.
    var time: SQLValue?
}

/// When the facts of a resource hold, and how that is known.
struct FactTime: Sendable, Hashable {
    /// The element in which the time stood; the raw value is the modifier's code, of those that have one.
    enum Source: String, Sendable, CaseIterable {
        case effective = "TRIBUTARY:TIME-EFFECTIVE"
        case authored = "TRIBUTARY:TIME-AUTHORED"
        case issued = "TRIBUTARY:TIME-ISSUED"
        case encounter = "TRIBUTARY:TIME-ENCOUNTER"
        case received = "TRIBUTARY:TIME-RECEIVED"

        /// Whether a modifier beside each fact says so: that a time is when it was measured or answered needs no word.
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
    /// The time as it was written, which keeps its precision and the person's offset.
    let text: String?
    /// How much of the start and of the end is known.
    var precision = DateTime.Precision.second
    var endPrecision = DateTime.Precision.second

    /// i2b2's two letters for a visit: how precise its end is, then how precise its start is.
    /// The person's own day, `YYYY-MM-DD`: that of the time as it was written, else that of UTC.
    var day: String {
        if let text, text.utf8.count >= 10, text.utf8.dropFirst(7).first == UInt8(ascii: "-") {
            return String(text.prefix(10))
        }
        return String(WarehouseTime.text(start).prefix(10))
    }

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

/// All that the warehouse takes from one resource.
struct FactSet: Sendable {
    private(set) var facts: [ObservationFact] = []
    /// Concepts that the facts use and that no form has, each once.
    private(set) var concepts: [ConceptUse] = []
    let time: FactTime
    /// Where the resource comes from.
    let source: FactSource
    /// The warnings about values that could not be kept as they should be; no health data stands in them.
    private(set) var warnings: Set<LoadWarning> = []
    /// How many repetitions the resource has, the first included.
    private let repetitions: Int
    private var instances: [Place: Int] = [:]
    private var used: Set<String> = []

    /// Where facts of one concept must be told apart.
    private struct Place: Hashable {
        let concept: String
        let repetition: Int
        var time: SQLValue?
    }

    init(time: FactTime, source: FactSource, repetitions: Int = 1) {
        self.time = time
        self.source = source
        self.repetitions = repetitions
    }

    /// Makes a set of what was found before of a resource that differs from this one in its time alone.
    init(time: FactTime, source: FactSource, facts: [ObservationFact], concepts: [ConceptUse]) {
        self.init(time: time, source: source)
        self.facts = facts
        self.concepts = concepts
    }

    /// Adds a fact, numbered by its repetition. Further ones of its concept there have numbers that no repetition has.
    ///
    /// - Parameter use: the concept as the ontology is to have it; nil where it is none of the ontology's making.
    mutating func add(
        _ code: String, _ use: ConceptUse?, _ value: FactValue, repetition: Int = Repetitions.first,
        content: ObservationFact.Content = .data
    ) {
        add(code, use, MeasuredValue(value), repetition: repetition, content: content)
    }

    /// Adds a fact of a FHIR value in its concept's unit; nothing where there is none to load.
    ///
    /// - Parameter linkID: of the question that it answers.
    mutating func add(
        _ code: String, _ use: (Concept.Kind) -> ConceptUse?, _ value: some ChoiceValue, in unit: ConceptUnit,
        repetition: Int = Repetitions.first, linkID: String? = nil
    ) {
        guard let measured = MeasuredValue(value, in: unit) else { return }
        let content: ObservationFact.Content =
            switch value.type {
            case "Decimal", "Integer", "Quantity", "Boolean", "Time", "Code", "Coding", "Attachment": .data
            case "Date", "DateTime", "Instant": .date
            // What has parts may have words among them.
            default: .words(linkID: linkID)
            }
        add(code, use(measured.kind), measured, repetition: repetition, content: content)
    }

    /// Adds a fact of one of several values, which was measured at a time of its own.
    mutating func add(
        _ code: String, _ use: (Concept.Kind) -> ConceptUse?, _ measured: MeasuredValue, at time: Date
    ) {
        add(
            code, use(measured.kind), measured, repetition: Repetitions.first, content: .data,
            time: WarehouseTime.value(time))
    }

    private mutating func add(
        _ code: String, _ use: ConceptUse?, _ measured: MeasuredValue, repetition: Int,
        content: ObservationFact.Content, time: SQLValue? = nil
    ) {
        let place = Place(concept: code, repetition: repetition, time: time)
        let earlier = instances[place, default: 0]
        instances[place] = earlier + 1
        self.use(use)
        if let warning = measured.warning { warnings.insert(warning) }
        facts.append(
            ObservationFact(
                concept: code, value: measured.value, instance: repetition + earlier * repetitions,
                original: measured.original, warning: measured.warning, content: content, time: time))
    }

    /// Notes a concept that the ontology is to have.
    mutating func use(_ use: ConceptUse?) {
        if let use, used.insert(use.code).inserted { concepts.append(use) }
    }
}

/// A concept that a fact uses, and where it belongs should the ontology not have it yet. Nothing in it is free text: the
/// name is the code, or the words that we have for it.
struct ConceptUse: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        /// Below `Health`, in the folder of its type, else among the others, and there by its terminology's code too.
        case health(TerminologyCode?)
        /// Below another concept, wherever that stands.
        case below(code: String, segment: String)
    }

    let code: String
    let name: String
    let kind: Concept.Kind
    let place: Place
}
