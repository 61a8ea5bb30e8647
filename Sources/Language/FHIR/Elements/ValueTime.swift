import Core

/// Time of measurement of one value of an Observation whose period covers several values: an extension of Tributary.
public struct ValueTime: Sendable, Hashable {
    /// The code of the value's component, in ``CodeSystemURL/deviceConnector``; nil for the Observation's own value.
    public let name: String?
    /// Time of measurement.
    public let time: DateTime

    /// The URL of the extension.
    public static let url = "urn:tributary:value-time"

    /// Creates the time of a value.
    public init(name: String?, time: DateTime) {
        self.name = name
        self.time = time
    }

    /// Reads the extension; nil for another extension, or for one without a time.
    public init?(_ extension: Extension) {
        guard `extension`.url == Self.url else { return nil }
        var (name, time): (String?, DateTime?) = (nil, nil)
        for part in `extension`.extension {
            switch (part.url, part.value) {
            case ("name", .string(let text)): name = text
            case ("time", .dateTime(let value)): time = value
            default: break
            }
        }
        guard let time else { return nil }
        self.init(name: name, time: time)
    }

    /// The extension.
    public var json: JSON {
        var parts: [JSON] = []
        if let name { parts.append(["url": "name", "valueString": .string(name)]) }
        parts.append(["url": "time", "valueDateTime": .string(time.text)])
        return ["url": .string(Self.url), "extension": .array(parts)]
    }
}
