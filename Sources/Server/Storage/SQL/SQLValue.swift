import Foundation

/// A value that is passed to or read from the database.
///
/// Text never becomes part of a statement: it is bound to a `?` placeholder as one of these values.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    /// Length in bytes of a text in UTF-8 or of a blob; 0 for other values.
    @usableFromInline var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        default: 0
        }
    }

    /// Text, or null.
    public init(_ value: String?) {
        self = value.map(SQLValue.text) ?? .null
    }

    /// A 64-bit integer, or null.
    public init(_ value: Int64?) {
        self = value.map(SQLValue.integer) ?? .null
    }

    /// An integer, or null.
    public init(_ value: Int?) {
        self = value.map { .integer(Int64($0)) } ?? .null
    }

    /// A double precision number, or null.
    public init(_ value: Double?) {
        self = value.map(SQLValue.real) ?? .null
    }

    /// Bytes, or null.
    public init(_ value: Data?) {
        self = value.map(SQLValue.blob) ?? .null
    }

    /// 1 or 0, or null.
    public init(_ value: Bool?) {
        self = value.map { .integer($0 ? 1 : 0) } ?? .null
    }

    /// An instant as text (see ``SQLTimestamp``), or null.
    public init(_ value: Date?) {
        self = value.map { .text(SQLTimestamp.text($0)) } ?? .null
    }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    public init(nilLiteral: ()) {
        self = .null
    }
}
