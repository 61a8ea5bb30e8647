import Foundation

extension JSON {
    /// Reads one JSON text. A leading byte order mark is dropped.
    ///
    /// - Parameter lenient: whether a comma before a closing bracket is accepted, which some published forms contain.
    /// - Throws: ``JSONError`` with the offset, line and column, for trailing commas, duplicate names, text after the
    ///   end, invalid UTF-8, half surrogate pairs, and nesting that is too deep.
    public init(_ bytes: some Collection<UInt8>, lenient: Bool = false) throws(JSONError) {
        let result = bytes.withContiguousStorageIfAvailable { JSON.parse($0, lenient: lenient) }
        switch result ?? Array(bytes).withUnsafeBufferPointer({ JSON.parse($0, lenient: lenient) }) {
        case .success(let value): self = value
        case .failure(let error): throw error
        }
    }

    /// Reads one JSON text strictly; nil if it is not valid.
    public init?(reading bytes: some Collection<UInt8>) {
        guard let value = try? JSON(bytes) else { return nil }
        self = value
    }

    /// Reads one JSON text.
    public init(parsing text: String, lenient: Bool = false) throws(JSONError) {
        try self.init(Array(text.utf8), lenient: lenient)
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>, lenient: Bool) -> Result<JSON, JSONError> {
        // An empty buffer may have no address.
        guard let address = bytes.baseAddress else {
            return .failure(JSONError(reason: .unexpectedEnd, offset: 0, line: 1, column: 1))
        }
        var parser = JSONParser(bytes, at: address, lenient: lenient)
        defer { parser.free() }
        do throws(JSONError) {
            return .success(try parser.document())
        } catch {
            return .failure(error)
        }
    }
}
