import HealthTypes
import UCUM

/// The one unit in which the numbers of a concept are kept, so that they compare.
enum ConceptUnit: Sendable, Hashable {
    /// The table of types says it.
    case declared(String)
    /// The concept is a health type. A value under `%` may be a fraction, where a library of others is known to write it so.
    case measured(HealthMeasure, isFraction: Bool)
    /// A form says it of its question, of numbers without a unit too.
    case asked(String)
    /// Nobody says it: the conventional unit of what is measured (``UnitReading/conventional(_:)``). It must not depend on
    /// which value came first, and a code of a terminology means one kind of quantity.
    case ofItsKind

    /// The unit that the concept's numbers have for sure.
    var code: String? {
        switch self {
        case .declared(let code), .asked(let code): code
        case .measured(let measure, _): measure.unit.ucum
        case .ofItsKind: nil
        }
    }
}
