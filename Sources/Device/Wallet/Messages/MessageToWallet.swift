import Core
import Wire

/// A message of an app to the wallet: `FBlocksCSA://?…`.
///
/// The way of its arrival proves nothing: any app can send it. The wallet asks the server about the csi, and the person
/// decides.
public enum MessageToWallet: Sendable, Hashable {
    /// An app asks for the wallet's device id and csi: `?scheme=`, and `state`.
    case introduction(AppScheme, state: String?)
    /// An app asks for a permission: `?dcsi=`, and `state`, `scope` and `scheme`.
    case request(Request)

    /// An app's request for a permission.
    public struct Request: Sendable, Hashable {
        /// The csi that the message names.
        public var csi: CsiGuid
        /// The value that the answer repeats; nil from the document's app.
        public var state: String?
        /// The access that the app wants; nil from the document's app.
        public var scope: PermissionScope?
        /// The scheme of the answer; nil from the document's app, which sent it in its introduction.
        public var scheme: AppScheme?
        /// Whether the person chose the optional resource (`isSelected`); nil if the message does not contain it.
        public var isOptionalSelected: Bool?
        /// Whether the message comes from the list of permissions (`screen2`).
        public var isFromList: Bool

        /// Creates a request.
        public init(
            csi: CsiGuid, state: String? = nil, scope: PermissionScope? = nil, scheme: AppScheme? = nil,
            isOptionalSelected: Bool? = nil, isFromList: Bool = false
        ) {
            self.csi = csi
            self.state = state
            self.scope = scope
            self.scheme = scheme
            self.isOptionalSelected = isOptionalSelected
            self.isFromList = isFromList
        }
    }

    /// Reads a URL; nil if it is no such message. Parameters that are not known are ignored.
    public init?(_ text: String) {
        guard let url = MessageURL(text), url.has(scheme: AppScheme.wallet), let state = url.state else { return nil }
        var scheme: AppScheme?
        if let text = url.parameters["scheme"] {
            guard let read = AppScheme(text) else { return nil }
            scheme = read
        }
        guard let dcsi = url.parameters["dcsi"] else {
            guard let scheme else { return nil }
            self = .introduction(scheme, state: state)
            return
        }
        guard let csi = CsiGuid(dcsi) else { return nil }
        var request = Request(csi: csi, state: state, scheme: scheme)
        if let text = url.parameters["scope"] {
            guard let scope = try? PermissionScope(requested: text) else { return nil }
            request.scope = scope
        }
        switch url.parameters["isSelected"] {
        case nil: break
        case "yes"?: request.isOptionalSelected = true
        case "no"?: request.isOptionalSelected = false
        default: return nil
        }
        request.isFromList = url.parameters["screen2"] == "yes"
        self = .request(request)
    }

    /// The URL.
    public var url: String {
        switch self {
        case .introduction(let scheme, let state):
            MessageURL.text(AppScheme.wallet, [("scheme", scheme.text), ("state", state)])
        case .request(let request):
            MessageURL.text(
                AppScheme.wallet,
                [
                    ("dcsi", request.csi.text), ("isSelected", request.isOptionalSelected.map { $0 ? "yes" : "no" }),
                    ("screen2", request.isFromList ? "yes" : nil), ("scheme", request.scheme?.text),
                    ("scope", request.scope?.requestText), ("state", request.state),
                ])
        }
    }
}
