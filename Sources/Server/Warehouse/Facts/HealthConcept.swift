/// A type of health data, as the ontology presents it.
public struct HealthConcept: Sendable, Hashable {
    /// A code and its system.
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

    /// The permanently stable name of the type: its segment of the path.
    public let identifier: String
    /// The title that people see.
    public let title: String
    /// The folder of the type.
    public let category: String
    /// The codings of the type's Observations.
    public let codings: [Code]
    /// The unit's code; nil if there is none.
    public let ucum: String?
    public let isNumeric: Bool
    /// The values of a coded type.
    public let options: [Code]
    /// Whether the type is a part of another type's observations.
    public let isPart: Bool
    /// Whether the values are yes or no, for instance "protection used".
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
