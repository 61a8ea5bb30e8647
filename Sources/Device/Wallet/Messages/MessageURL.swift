import Core

/// The URL of a message between wallet and app: `SCHEME://?NAME=VALUE&…`.
struct MessageURL {
    /// The scheme.
    let scheme: String
    /// The parameters, each once.
    let parameters: [String: String]

    /// Maximum bytes of a URL.
    static let maximumBytes = 4_096
    /// Maximum number of parameters.
    static let maximumParameters = 16

    /// Reads a URL; nil if it is too long, has a host, a path or a fragment, or has a parameter twice.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        scheme = String(text[..<colon])
        var rest = text[text.index(after: colon)...]
        guard AppScheme.isScheme(scheme), rest.hasPrefix("//") else { return nil }
        rest = rest.dropFirst(2)
        // Some systems add a path.
        if rest.hasPrefix("/") { rest = rest.dropFirst() }
        guard !rest.contains("#"), rest.isEmpty || rest.hasPrefix("?"),
            let fields = PercentEncoding.fields(rest.dropFirst()), fields.count <= Self.maximumParameters
        else { return nil }
        var parameters: [String: String] = [:]
        for field in fields {
            guard parameters.updateValue(field.value, forKey: field.name) == nil else { return nil }
        }
        self.parameters = parameters
    }

    /// Returns the URL of a message; parameters without a value are left out.
    static func text(_ scheme: String, _ parameters: [(name: String, value: String?)]) -> String {
        let query = parameters.compactMap { parameter in
            parameter.value.map { "\(parameter.name)=\(PercentEncoding.encode($0))" }
        }
        return "\(scheme)://" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// Whether the scheme is this one, in either case (RFC 3986 section 3.1).
    func has(scheme other: String) -> Bool { scheme.lowercased() == other.lowercased() }

    /// Reads the parameter `state`; nil if it is not valid, `.some(nil)` if it is absent.
    var state: String?? {
        guard let state = parameters["state"] else { return .some(nil) }
        return MessageState.isValid(state) ? .some(state) : .none
    }
}

/// The value by which the sender of a message recognises its answer.
public enum MessageState {
    /// Whether a text may be a state: 16 to 128 unreserved characters of ASCII.
    public static func isValid(_ text: String) -> Bool {
        (16...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-._~".utf8.contains(byte)
                }
            }
    }
}
