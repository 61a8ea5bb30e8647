import Core
import Storage

/// Bytes of a sequence of values, the same for every engine: a domain, then each value with its type and its length.
/// Different sequences have different bytes.
struct CanonicalEncoding {
    private(set) var bytes: [UInt8] = []

    /// - Parameter domain: name of the purpose of the bytes.
    init(_ domain: StaticString) { append(.text("\(domain)")) }

    /// An encoding without a domain, for a part of another one.
    init() {}

    mutating func append(_ value: SQLValue) {
        switch value {
        case .null: append("n", [])
        case .integer(let value): append("i", String(value).utf8)
        case .real(let value): append("r", String(value.bitPattern).utf8)
        case .text(let value): append("t", value.utf8)
        case .blob(let value): append("b", value)
        }
    }

    mutating func append(_ value: Int64) { append(.integer(value)) }

    private mutating func append(_ type: StaticString, _ value: some Collection<UInt8>) {
        bytes.append(contentsOf: "\(type)\(value.count):".utf8)
        bytes.append(contentsOf: value)
    }
}
