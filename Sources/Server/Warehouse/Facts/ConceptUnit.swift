import HealthTypes
import UCUM

/// The one unit in which the numbers of a concept are stored, so that they are comparable.
enum ConceptUnit: Sendable, Hashable {
    /// The unit of the type table.
    case declared(String)
    /// The unit of a health type. A value in `%` may be a fraction, if its library is known to write it so.
    case measured(HealthMeasure, isFraction: Bool)
    /// The unit that a form specifies for its question, also for numbers without a unit.
    case asked(String)
    /// No specified unit: the conventional unit of the quantity (``UnitReading/conventional(_:)``). It must not depend
    /// on the first value that arrives, and a code of a terminology means one kind of quantity.
    case ofItsKind

    /// The known unit of the concept's numbers; nil if it is not specified.
    var code: String? {
        switch self {
        case .declared(let code), .asked(let code): code
        case .measured(let measure, _): measure.unit.ucum
        case .ofItsKind: nil
        }
    }
}
