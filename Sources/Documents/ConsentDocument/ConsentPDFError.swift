import Core

/// An error of a consent that cannot be drawn.
public enum ConsentPDFError: CodedError, Hashable {
    /// No TrueType font was found in the searched folders.
    case fontMissing
    /// The file is not a TrueType font that can be embedded.
    case fontUnreadable(path: String)
    /// The signature is not a PNG image that can be drawn.
    case signatureUnreadable
    /// The PDF library failed with this error code, which its manual lists in hexadecimal.
    case library(UInt)

    /// The stable code.
    public var code: String {
        switch self {
        case .fontMissing: "consent-document-font-missing"
        case .fontUnreadable: "consent-document-font-unreadable"
        case .signatureUnreadable: "consent-document-signature-unreadable"
        case .library: "consent-document-not-drawn"
        }
    }

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .fontMissing:
            "No font was found for drawing the consent; install fonts-dejavu-core or specify a TrueType font."
        case .fontUnreadable(let path): "The file \(path) is not a TrueType font that can be embedded."
        case .signatureUnreadable: "The signature is not a readable PNG image; use up to 4096 pixels per side."
        case .library(let number):
            "The consent document could not be drawn (error 0x\(String(number, radix: 16)) of the PDF library)."
        }
    }
}
