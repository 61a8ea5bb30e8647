import FHIRSearch
import Foundation

/// A row of the index, without the number of its record.
package enum SearchEntry: Hashable, Sendable {
    /// A code, a reference, a URI: `record_term`.
    case term(SearchTerm)
    /// A high-cardinality value, by its index key: `record_print`.
    case key(SearchTerm, Data)
    /// A text, folded and exact: `record_text`.
    case text(SearchTerm, folded: String, exact: String)
    /// A time: `record_time`.
    case time(SearchTerm, SearchPeriod)
    /// A number, or a quantity whose unit is the term: `record_number`.
    case number(SearchTerm, SearchBounds)
    /// A component's value in a value of a composite, with the number of that value: `record_part`.
    case part(Int, SearchTerm, SearchBounds?)

    /// The term of the row.
    package var term: SearchTerm {
        switch self {
        case .term(let term), .key(let term, _), .text(let term, _, _), .time(let term, _), .number(let term, _),
            .part(_, let term, _):
            term
        }
    }
}
