/// One row of the ontology.
struct Concept: Sendable, Hashable {
    /// What facts of the concept hold.
    enum Kind: Sendable, Hashable {
        case folder
        /// A number in a unit; the unit's code, if there is one.
        case numeric(units: String?)
        case text
        /// One of several answers, each a concept below.
        case choice
        /// An answer.
        case option

        var name: String {
            switch self {
            case .folder: "folder"
            case .numeric: "numeric"
            case .text: "text"
            case .choice: "choice"
            case .option: "option"
            }
        }
    }

    let path: String
    /// nil for a folder.
    let code: String?
    /// For people.
    let name: String
    let kind: Kind
}

/// A type of health data, as the ontology shows it.
public struct HealthConcept: Sendable, Hashable {
    /// HealthKit's identifier.
    public let identifier: String
    public let title: String
    /// The folder it stands in.
    public let category: String
    /// Systems and codes, as the type's Observations bear them.
    public let codings: [(system: String?, code: String)]
    public let ucum: String?
    public let isNumeric: Bool

    public init(
        identifier: String, title: String, category: String, codings: [(system: String?, code: String)], ucum: String?,
        isNumeric: Bool
    ) {
        self.identifier = identifier
        self.title = title
        self.category = category
        self.codings = codings
        self.ucum = ucum
        self.isNumeric = isNumeric
    }

    public static func == (left: HealthConcept, right: HealthConcept) -> Bool { left.identifier == right.identifier }

    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
