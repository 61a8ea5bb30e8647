/// A type of health data, as the ontology shows it.
public struct HealthConcept: Sendable, Hashable {
    /// A code and the system it is of.
    public struct Code: Sendable, Hashable {
        public let system: String?
        public let code: String
        public let display: String?

        public init(system: String?, code: String, display: String? = nil) {
            self.system = system
            self.code = code
            self.display = display
        }
    }

    /// The name of the type, stable for ever: its place in the tree.
    public let identifier: String
    /// For people.
    public let title: String
    /// The folder it stands in.
    public let category: String
    /// As the type's Observations bear them.
    public let codings: [Code]
    /// The unit's code; nil where there is none.
    public let ucum: String?
    public let isNumeric: Bool
    /// The values of a coded type.
    public let options: [Code]
    /// Whether it is a part of another type's observations.
    public let isPart: Bool
    /// Whether its values are yes or no: it took place, protection was used.
    public let isBoolean: Bool

    public init(
        identifier: String, title: String, category: String, codings: [Code], ucum: String?, isNumeric: Bool,
        options: [Code] = [], isPart: Bool = false, isBoolean: Bool = false
    ) {
        self.identifier = identifier
        self.title = title
        self.category = category
        self.codings = codings
        self.ucum = ucum
        self.isNumeric = isNumeric
        self.options = options
        self.isPart = isPart
        self.isBoolean = isBoolean
    }
}
