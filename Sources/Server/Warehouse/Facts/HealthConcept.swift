/// A type of health data, as the ontology presents it.
package struct HealthConcept: Sendable, Hashable {
    /// A code and its system.
    package struct Code: Sendable, Hashable {
        package let system: String?
        package let code: String
        package let display: String?

        package init(system: String?, code: String, display: String? = nil) {
            self.system = system
            self.code = code
            self.display = display
        }
    }

    /// The permanently stable name of the type: its segment of the path.
    package let identifier: String
    /// The title that people see.
    package let title: String
    /// The folder of the type.
    package let category: String
    /// The codings of the type's Observations.
    package let codings: [Code]
    /// The unit's code; nil if there is none.
    package let ucum: String?
    package let isNumeric: Bool
    /// The values of a coded type.
    package let options: [Code]
    /// Whether the type is a part of another type's observations.
    package let isPart: Bool
    /// Whether the values are yes or no, for instance "protection used".
    package let isBoolean: Bool

    package init(
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
