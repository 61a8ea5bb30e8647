/// What rows beside a fact say of it, but for its time (``FactTime/Source``). The raw value is the modifier's code.
enum FactModifier: String, Sendable, CaseIterable {
    /// The number and the unit as they were sent, where the fact has them in its concept's unit.
    case original = "TRIBUTARY:ORIGINAL"
    /// A number that could not be kept as one: the reason's code.
    case asText = "TRIBUTARY:AS-TEXT"

    var title: String {
        switch self {
        case .original: "Number and unit as sent"
        case .asText: "Number kept as text"
        }
    }

    /// Its place among the modifiers.
    var path: String {
        switch self {
        case .original: "\\Tributary value\\ORIGINAL\\"
        case .asText: "\\Tributary value\\AS-TEXT\\"
        }
    }
}
