/// One row of the ontology.
struct Concept: Sendable, Hashable {
    /// The kind of value that facts of the concept hold.
    enum Kind: Sendable, Hashable {
        case folder
        /// A number in a unit; the unit's code, if there is one.
        case numeric(units: String?)
        case text
        /// `true` or `false`.
        case boolean
        /// One of several answers, each a concept below; the known ones.
        case choice([Choice])
        /// An answer.
        case option
        /// Patients or visits, selected by a dimension rather than by facts.
        case dimension(DimensionSelection)

        /// The name with which the ontology is listed.
        var name: String {
            switch self {
            case .folder: "folder"
            case .numeric: "numeric"
            case .text, .boolean: "text"
            case .choice: "choice"
            case .option: "option"
            case .dimension: "dimension"
            }
        }
    }

    /// An answer as the facts of its question contain it.
    struct Choice: Sendable, Hashable {
        let code: String
        let name: String
    }

    let path: String
    /// nil for a folder.
    let code: String?
    /// The name that people see.
    let name: String
    let kind: Kind
}
