import Core

/// A message of the study's HTTP interface that is read from one JSON object. Unknown members are ignored.
///
/// It is read with ``Core/JSON``, whose limits hold for all external input.
public protocol JSONMessage {
    /// Reads the message; nil if a member is missing or of another type.
    init?(json: JSON)
}

extension JSONMessage {
    /// Reads the message from the bytes of a body; nil if they are not JSON or not this message.
    public init?(reading body: some Collection<UInt8>) {
        guard let json = JSON(reading: body) else { return nil }
        self.init(json: json)
    }
}

extension JSON {
    /// Returns the value of a member that may be absent or null; nil if it is of another type.
    func optional<Value>(_ key: String, _ read: (JSON) -> Value?) -> Value?? {
        guard let member = self[key], !member.isNull else { return .some(nil) }
        return read(member).map { .some($0) }
    }

    /// The elements of an array of texts; nil for anything else.
    var texts: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}
