import FHIR
import Foundation

/// The value of a fact, as i2b2's columns hold it.
enum FactValue: Sendable, Hashable {
    /// `valtype_cd` N: the operator in `tval_char`, without which no value constraint finds the number.
    case numeric(Double, operator: String, units: String?)
    /// `valtype_cd` T.
    case text(String)
    /// `valtype_cd` B: text beyond 255 characters.
    case blob(String)

    static let maximumText = 255

    static func text(of string: String) -> FactValue {
        string.count <= maximumText ? .text(string) : .blob(string)
    }

    /// A number that fits decimal(18,5), rounded half to even; any other number is kept as text.
    static func number(_ number: JSONNumber, comparator: String? = nil, units: String? = nil) -> FactValue {
        guard var value = number.decimal, abs(value) < 10_000_000_000_000 else { return text(of: number.text) }
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, 5, .bankers)
        let code =
            switch comparator {
            case "<": "L"
            case "<=": "LE"
            case ">": "G"
            case ">=": "GE"
            default: "E"
            }
        return .numeric(NSDecimalNumber(decimal: rounded).doubleValue, operator: code, units: units.map(unit))
    }

    private static func unit(_ text: String) -> String { String(text.prefix(50)) }
}

/// One fact before it has numbers: what, when, how much.
struct ObservationFact: Sendable, Hashable {
    let concept: String
    let value: FactValue
    /// From 1; tells repetitions of a concept within a resource apart.
    var instance = 1
}

/// When the facts of a resource hold, and how that is known.
struct FactTime: Sendable, Hashable {
    /// Where the time stood; the raw value is the modifier's code.
    enum Source: String, Sendable, CaseIterable {
        case effective = "TRIBUTARY:TIME-EFFECTIVE"
        case authored = "TRIBUTARY:TIME-AUTHORED"
        case issued = "TRIBUTARY:TIME-ISSUED"
        case encounter = "TRIBUTARY:TIME-ENCOUNTER"
        case received = "TRIBUTARY:TIME-RECEIVED"

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
}

/// All that the warehouse takes from one resource.
struct FactSet: Sendable {
    var facts: [ObservationFact] = []
    /// Concepts that the facts use, each once.
    var concepts: [ConceptUse] = []
    let time: FactTime

    init(time: FactTime) { self.time = time }

    /// Adds a fact, numbered among those of its concept.
    mutating func add(_ concept: ConceptUse, _ value: FactValue) {
        if !concepts.contains(where: { $0.code == concept.code }) { concepts.append(concept) }
        let instance = facts.count { $0.concept == concept.code } + 1
        facts.append(ObservationFact(concept: concept.code, value: value, instance: instance))
    }
}

/// A concept that a fact uses, and where it belongs should the ontology not have it yet.
struct ConceptUse: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case path(String)
        /// Below `Health`, in the folder of its type, else among the others.
        case health
        /// Below another concept of the health folder.
        case below(code: String, segment: String)
    }

    let code: String
    let name: String
    let kind: Concept.Kind
    let place: Place
}
