/// The modifiers of a fact's additional rows, except those of its time (``FactTime/Source``). The raw value is the
/// modifier's code.
enum FactModifier: String, Sendable, CaseIterable {
    /// The number and the unit as sent, if the fact is in another unit, that of its concept.
    case original = "TRIBUTARY:ORIGINAL"
    /// A number that could not be stored as a number: the code of the reason.
    case asText = "TRIBUTARY:AS-TEXT"

    var title: String {
        switch self {
        case .original: "Number and unit as sent"
        case .asText: "Number kept as text"
        }
    }

    /// The path in the modifier dimension.
    var path: String {
        switch self {
        case .original: "\\Tributary value\\ORIGINAL\\"
        case .asText: "\\Tributary value\\AS-TEXT\\"
        }
    }
}
