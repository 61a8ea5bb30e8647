import Core
import Wire

/// A message of the wallet to an app: `SCHEME://?…`.
///
/// The way of its arrival proves nothing: any app can send it. The app asks the server for its permissions.
public enum MessageToApp: Sendable, Hashable {
    /// The device id and the csi of the wallet: `?UniqueIdentifier=&wcsi=`.
    case introduced(deviceID: String, wallet: CsiGuid, state: String?)
    /// The person gave a permission: `?dpermissionshared=true`.
    case accepted(state: String?)
    /// The person gave no permission: no parameter, or `state` only.
    case rejected(state: String?)
    /// The person ended the permission: `?apppermissionshared=`.
    case withdrawn(state: String?)

    /// Reads a URL; nil if it is no such message, or of another scheme. Parameters that are not known are ignored.
    public init?(_ text: String, scheme: AppScheme) {
        guard let url = MessageURL(text), url.has(scheme: scheme.text), let state = url.state else { return nil }
        if let deviceID = url.parameters["UniqueIdentifier"] {
            guard CsiText.isName(deviceID), let wallet = url.parameters["wcsi"].flatMap({ CsiGuid($0) }) else {
                return nil
            }
            self = .introduced(deviceID: deviceID, wallet: wallet, state: state)
        } else if let shared = url.parameters["dpermissionshared"] {
            guard shared == "true" else { return nil }
            self = .accepted(state: state)
        } else if url.parameters["apppermissionshared"] != nil {
            self = .withdrawn(state: state)
        } else {
            // Only the bare scheme means a rejection; another message is not one.
            guard url.parameters.keys.allSatisfy({ $0 == "state" }) else { return nil }
            self = .rejected(state: state)
        }
    }

    /// Returns the URL.
    public func url(scheme: AppScheme) -> String {
        switch self {
        case .introduced(let deviceID, let wallet, let state):
            MessageURL.text(
                scheme.text, [("UniqueIdentifier", deviceID), ("wcsi", wallet.text), ("state", state)])
        case .accepted(let state): MessageURL.text(scheme.text, [("dpermissionshared", "true"), ("state", state)])
        case .rejected(let state): MessageURL.text(scheme.text, [("state", state)])
        case .withdrawn(let state): MessageURL.text(scheme.text, [("apppermissionshared", "false"), ("state", state)])
        }
    }

    /// The state that the message repeats; nil if it contains none.
    public var state: String? {
        switch self {
        case .introduced(_, _, let state), .accepted(let state), .rejected(let state), .withdrawn(let state): state
        }
    }
}
