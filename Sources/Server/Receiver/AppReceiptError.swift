import Core

/// The reason that an app receipt was not taken. It carries nothing of the receipt.
public enum AppReceiptError: String, CodedError, CaseIterable {
    /// The bytes are no PKCS#7 signed data with its content inside.
    case malformed = "receipt-malformed"
    /// The signature or its certificate chain does not lead to a configured root.
    case untrusted = "receipt-untrusted"
    /// The signed content is not the list of attributes that a receipt is, or names no app.
    case payloadInvalid = "receipt-payload-invalid"
    /// It is a receipt of another app.
    case otherApp = "receipt-other-app"
    /// A certificate or key that should be a root cannot be read.
    case rootInvalid = "receipt-root-invalid"
    /// A development receipt could not be made.
    case notMade = "receipt-not-made"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch self {
        case .malformed: "The app receipt is not a PKCS#7 signed message."
        case .untrusted: "The app receipt is not signed by a trusted root."
        case .payloadInvalid: "The app receipt does not hold the attributes of a receipt."
        case .otherApp: "The app receipt belongs to another app."
        case .rootInvalid: "The trusted root for app receipts is no certificate, or its key is damaged."
        case .notMade: "The development receipt could not be made."
        }
    }
}
