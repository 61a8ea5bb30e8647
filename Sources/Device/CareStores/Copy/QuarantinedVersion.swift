import Core
import Foundation

/// A version that the server refused for good. It remains on the device, and is not sent again by itself.
public struct QuarantinedVersion: Sendable, Hashable {
    /// The version.
    public let uuid: UUID
    /// The stable code of the refusal, such as `outcome-impossible`.
    public let code: String
    /// The refused version that this version follows or belongs to; nil for a version that was refused itself.
    public let cause: UUID?

    /// `{"uuid","code","cause"}`.
    public var json: JSON {
        [
            "uuid": .string(uuid.uuidString), "code": .string(code),
            "cause": cause.map { .string($0.uuidString) } ?? .null,
        ]
    }

    init(uuid: UUID, code: String, cause: UUID?) {
        self.uuid = uuid
        self.code = code
        self.cause = cause
    }

    init?(_ json: JSON) {
        guard let uuid = json["uuid"]?.string.flatMap({ UUID(text: $0) }), let code = json["code"]?.string else {
            return nil
        }
        self.init(uuid: uuid, code: code, cause: json["cause"]?.string.flatMap { UUID(text: $0) })
    }
}
