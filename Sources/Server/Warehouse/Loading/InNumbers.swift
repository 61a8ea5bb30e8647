import Storage

/// Numbers for `IN (?, ?, ...)`, in parts of equal size, so that one statement is prepared once for all.
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

    /// The placeholders after `IN`.
    var placeholders: String { "(\(repeatElement("?", count: Self.size).joined(separator: ", ")))" }

    /// One value for each placeholder. The last number fills the remaining ones.
    var parameters: [SQLValue] {
        (numbers + Array(repeating: numbers.last ?? 0, count: Self.size - numbers.count)).map { SQLValue($0) }
    }
}
