import FHIR
import FHIRPath

/// The rules of a profile for one element or slice (<https://hl7.org/fhir/R4/elementdefinition.html>).
struct ProfileNode: Sendable {
    struct Constraint: Sendable {
        let key: String
        let isError: Bool
        let sentence: String
        let compiled: FHIRPathExpression
    }

    struct TypeRule: Sendable {
        /// The code of the type: `Quantity`, `Reference`.
        let code: String
        let profiles: [String]
        let targetProfiles: [String]
    }

    struct Slicing: Sendable {
        enum Kind: String, Sendable { case value, pattern, type, exists, profile }
        enum Rules: String, Sendable { case open, closed, openAtEnd }

        struct Discriminator: Sendable {
            let kind: Kind
            let path: String
            /// The compiled path; nil if it cannot be parsed.
            let compiled: FHIRPathExpression?
        }

        var discriminators: [Discriminator]
        var rules: Rules
        var isOrdered: Bool
    }

    /// The id in the profile: `Observation.component:systolic.code`.
    let id: String
    /// The name without `[x]`.
    let name: String
    /// The name of the slice; nil for an element.
    let sliceName: String?
    var min: Int?
    var max: Int?
    var types: [TypeRule] = []
    var fixed: JSON?
    var pattern: JSON?
    var minValue: JSON?
    var maxValue: JSON?
    var maxLength: Int?
    var binding: (isRequired: Bool, valueSet: String)?
    var constraints: [Constraint] = []
    var slicing: Slicing?
    var slices: [ProfileNode] = []
    var children: [ProfileNode] = []

    init(id: String, name: String, sliceName: String?) {
        self.id = id
        self.name = name
        self.sliceName = sliceName
    }

    /// Returns the child with the name.
    func child(_ name: String) -> ProfileNode? { children.first { $0.name == name } }

    /// Whether the node has no rules.
    var isEmpty: Bool {
        min == nil && max == nil && types.isEmpty && fixed == nil && pattern == nil && minValue == nil
            && maxValue == nil && maxLength == nil && binding == nil && constraints.isEmpty && slicing == nil
            && slices.isEmpty && children.isEmpty
    }
}
