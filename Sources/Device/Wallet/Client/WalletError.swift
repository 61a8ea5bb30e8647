import Core
import Wire

/// An error of a request of a wallet or an app.
///
/// The code is the server's if it refused the request (``PermissionError/Reason``). The message contains no text of the
/// server, so it may be logged.
public struct WalletError: CodedError, Hashable {
    /// The kinds that are not refusals of the server; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The address of the server is not valid, or is http to another machine.
        case urlInvalid = "url-invalid"
        /// The clock of the device is more than 300 seconds from the time of the server.
        case clockOff = "clock-off"
        /// The server could not be reached, or the connection broke. The server may have done what was requested.
        case connectionFailed = "connection-failed"
        /// The server's certificate is not trusted.
        case certificateUntrusted = "certificate-untrusted"
        /// The answer is not the one of the call, or is too large.
        case answerInvalid = "answer-invalid"
        /// The csi is not registered.
        case notRegistered = "not-registered"
        /// The csi is registered already.
        case registeredAlready = "registered-already"
        /// A stored file is damaged.
        case storeDamaged = "store-damaged"
        /// The URL is not a message of the other side.
        case messageInvalid = "message-invalid"
        /// The wallet has the maximum number of apps with permissions.
        case appLimit = "app-limit"
        /// The app has no request that is not decided.
        case noRequest = "no-request"
        /// The wallet gave no such permission.
        case noPermission = "no-permission"
        /// The app has no permission that it may pass on.
        case noParent = "no-parent"

        var sentence: String {
            switch self {
            case .urlInvalid: "The address is not that of a server; use https, or http on this machine."
            case .clockOff: "The clock of this device is more than 300 seconds wrong: set it."
            case .connectionFailed: "The server cannot be reached, or the connection broke: check the network."
            case .certificateUntrusted: "The certificate of the server is not trusted."
            case .answerInvalid: "The answer of the server cannot be read."
            case .notRegistered: "This app is not registered at the server: register it."
            case .registeredAlready: "This app is registered already."
            case .storeDamaged: "The stored data of this app are damaged: register it again."
            case .messageInvalid: "The URL is not a message between a wallet and this app."
            case .appLimit: "The wallet has too many apps with permissions: end some of them."
            case .noRequest: "The app has no request that waits for a decision."
            case .noPermission: "The wallet gave no such permission, and the text is not the guid of an app."
            case .noParent: "The app has no permission with write access from a wallet, so it cannot pass one on."
            }
        }
    }

    /// The stable code: the client's own, or the server's.
    public let code: String
    /// A sentence for people.
    public let message: String
    /// The HTTP status of the refusal; nil if the server did not refuse.
    public let status: Int?
    /// The delay in seconds that the server asks for (`Retry-After`), 0 to a day; nil without one.
    public let retryAfter: Double?

    init(_ reason: Reason) {
        self.init(code: reason.rawValue, message: reason.sentence, status: nil, retryAfter: nil)
    }

    /// Creates the error of a refusal by the server.
    init(refusal code: String, status: Int, retryAfter: Double?) {
        var message = "The server refused the request (\(code), status \(status))."
        if let retryAfter { message += " Try again in \(Int(retryAfter.rounded(.up))) seconds." }
        self.init(code: code, message: message, status: status, retryAfter: retryAfter)
    }

    private init(code: String, message: String, status: Int?, retryAfter: Double?) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The kind; nil for a refusal of the server.
    public var reason: Reason? { status == nil ? Reason(rawValue: code) : nil }

    /// The kind of the server's refusal; nil for another error, and for a code of a later server.
    public var refusal: PermissionError.Reason? { status == nil ? nil : PermissionError.Reason(rawValue: code) }
}
