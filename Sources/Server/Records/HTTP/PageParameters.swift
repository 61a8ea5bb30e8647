/// Reads the parameters that histories and operations have alike.
enum PageParameters {
    /// `_count`, at least 1.
    ///
    /// - Throws: ``RecordsFailure`` for what is no number.
    static func count(_ text: String) throws -> Int {
        guard let number = Int(text), number >= 0 else { throw RecordsFailure.invalid("_count", "a number") }
        return min(max(number, 1), SearchQuery.maximumCount)
    }

    /// `_type`: names of types with commas between them.
    ///
    /// - Throws: ``RecordsFailure`` where there is none, or one that is not held.
    static func types(_ text: String) throws -> Set<String> {
        let names = text.split(separator: ",").map(String.init)
        guard !names.isEmpty, names.allSatisfy(RecordType.isHeld) else {
            throw RecordsFailure.invalid("_type", "names of resource types with commas between them")
        }
        return Set(names)
    }

    /// The milliseconds of an instant, or of a less precise time.
    ///
    /// - Throws: ``RecordsFailure``.
    static func instant(_ name: String, _ text: String) throws -> (low: Int64, high: Int64) {
        try range(name, text, example: "2026-01-31T12:00:00Z")
    }

    /// The milliseconds of a date or time: the first, and the first behind it.
    ///
    /// - Parameter example: what the sentence shows to who wrote something else.
    /// - Throws: ``RecordsFailure``.
    static func range(_ name: String, _ text: String, example: String) throws -> (low: Int64, high: Int64) {
        guard let (start, end) = SearchText.range(text) else {
            throw RecordsFailure.invalid(name, "a date or time such as " + example)
        }
        return (Milliseconds.of(start.start()), Milliseconds.of(end))
    }
}
