import Storage

/// Numbers for `IN (?, ?, ...)`, so many at a time that a statement of one text is prepared once for all.
struct InNumbers {
    private static let size = 200
    let numbers: [Int64]

    static func parts(of numbers: some Collection<Int64>) -> [InNumbers] {
        var parts: [InNumbers] = []
        var rest = Array(numbers)[...]
        while !rest.isEmpty {
            parts.append(InNumbers(numbers: Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        return parts
    }

    /// What stands behind `IN`.
    var places: String { "(\(repeatElement("?", count: Self.size).joined(separator: ", ")))" }

    /// As many values as there are places: the last one stands in those that are left.
    var parameters: [SQLValue] {
        (numbers + Array(repeating: numbers.last ?? 0, count: Self.size - numbers.count)).map { SQLValue($0) }
    }
}
