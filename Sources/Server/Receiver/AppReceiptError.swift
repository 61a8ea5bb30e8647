import Core

/// Reason why an app receipt is rejected. It contains nothing of the receipt.
package enum AppReceiptError: String, CodedError, CaseIterable {
    /// The bytes are not PKCS#7 signed data with embedded content.
    case malformed = "receipt-malformed"
    /// The signature or its certificate chain does not lead to a configured root.
    case untrusted = "receipt-untrusted"
    /// The signed content is not a receipt's list of attributes, or contains no app.
    case payloadInvalid = "receipt-payload-invalid"
    /// The receipt belongs to another app.
    case otherApp = "receipt-other-app"
    /// A certificate or key of a root cannot be read.
    case rootInvalid = "receipt-root-invalid"
    /// A development receipt could not be created.
    case notMade = "receipt-not-made"

    /// Stable code.
    package var code: String { rawValue }

    /// Message for users that suggests an action.
    package var message: String {
        switch self {
        case .malformed: "The app receipt is not a PKCS#7 signed message."
        case .untrusted: "The app receipt is not signed by a trusted root."
        case .payloadInvalid: "The app receipt does not contain the attributes of a receipt."
        case .otherApp: "The app receipt belongs to another app."
        case .rootInvalid: "The trusted root for app receipts is not a certificate, or its key is damaged."
        case .notMade: "The development receipt could not be created."
        }
    }
}
