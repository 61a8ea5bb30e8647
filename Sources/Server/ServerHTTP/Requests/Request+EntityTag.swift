import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the client already has a representation: `If-None-Match` by the weak comparison (RFC 9110 sections
    /// 8.8.3.2 and
    /// 13.1.2).
    ///
    /// - Parameter tag: the entity tag with its quotation marks, without `W/`.
    package func knows(entityTag tag: String) -> Bool {
        headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { value in
            let value = value.drop { $0 == " " || $0 == "\t" }
            let known = value.hasPrefix("W/") ? value.dropFirst(2) : value
            return known.hasPrefix(tag) && known.dropFirst(tag.count).allSatisfy { $0 == " " || $0 == "\t" }
                || value.first == "*"
        }
    }
}
