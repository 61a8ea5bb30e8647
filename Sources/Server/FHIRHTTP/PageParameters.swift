import Core
import FHIRSearch

/// Reads the parameters that histories and operations share.
package enum PageParameters {
    /// Reads `_count`; the result is at least 1.
    ///
    /// - Throws: ``RecordsFailure`` where the text is not a number.
    package static func count(_ text: String) throws -> Int {
        guard let number = Int(text), number >= 0 else { throw RecordsFailure.invalid("_count", "a number") }
        return min(max(number, 1), SearchQuery.maximumCount)
    }

    /// Reads `_type`: comma-separated names of types.
    ///
    /// - Throws: ``RecordsFailure`` for an empty list or an unknown type.
    package static func types(_ text: String) throws -> Set<String> {
        let names = text.split(separator: ",").map(String.init)
        guard !names.isEmpty, names.allSatisfy(RecordType.isHeld) else {
            throw RecordsFailure.invalid("_type", "names of resource types with commas between them")
        }
        return Set(names)
    }

    /// Returns the milliseconds of an instant, or of a less precise time.
    ///
    /// - Throws: ``RecordsFailure``.
    package static func instant(_ name: String, _ text: String) throws -> (low: Int64, high: Int64) {
        try range(name, text, example: "2026-01-31T12:00:00Z")
    }

    /// Returns the milliseconds of a date or time: the first, and the first after it.
    ///
    /// - Parameter example: the example in the error message.
    /// - Throws: ``RecordsFailure``.
    package static func range(_ name: String, _ text: String, example: String) throws -> (low: Int64, high: Int64) {
        guard let (start, end) = SearchText.range(text) else {
            throw RecordsFailure.invalid(name, "a date or time such as " + example)
        }
        return (Milliseconds.of(start.start()), Milliseconds.of(end))
    }
}
