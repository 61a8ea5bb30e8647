import Core
import Foundation

/// The resource of a sample, or its resources: a reference such as `Observation/ID`, or several references separated by
/// spaces. Nearly all are Observations whose id is a UUID.
public enum HealthTarget: Sendable, Hashable {
    /// The Observation with this id, which is written in lower case.
    case observation(UUID)
    /// Any other reference or references.
    case other(String)

    private static let prefix = "Observation/"

    /// Creates a target from its text.
    public init(_ text: String) { self = Self.observation(text).map { .observation($0) } ?? .other(text) }

    /// Creates a target from references.
    init(references: [String]) { self.init(references.joined(separator: " ")) }

    /// The text.
    public var text: String {
        switch self {
        case .observation(let id):
            let count = Self.prefix.utf8.count
            return String(unsafeUninitializedCapacity: count + UUID.textLength) { buffer in
                _ = buffer.update(fromContentsOf: Self.prefix.utf8)
                if let start = buffer.baseAddress { id.writeText(to: start + count, isLowercase: true) }
                return count + UUID.textLength
            }
        case .other(let text): return text
        }
    }

    /// The references, one for each resource.
    public var references: [String] {
        switch self {
        case .observation: [text]
        case .other(let text): text.split(separator: " ").map(String.init)
        }
    }

    /// Returns the id of an Observation if the id is a lower-case UUID; nil for all other texts, which are kept as they
    /// are.
    private static func observation(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { bytes -> UUID? in
            guard bytes.count == prefix.utf8.count + UUID.textLength, bytes.starts(with: prefix.utf8) else {
                return nil
            }
            return UUID(text: UnsafeBufferPointer(rebasing: bytes[prefix.utf8.count...]), isLowercase: true)
        }
    }
}

extension HealthTarget: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
    public init(stringLiteral text: String) { self.init(text) }
    public var description: String { text }
}
