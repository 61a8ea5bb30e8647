import Core

/// An error of a consent that cannot be drawn.
public enum ConsentPDFError: CodedError, Hashable {
    /// No TrueType font is where one is looked for.
    case fontMissing
    /// The file is no TrueType font that can be embedded.
    case fontUnreadable(path: String)
    /// The signature is no PNG image that can be drawn.
    case signatureUnreadable
    /// The PDF library gave up; the number is one of its error codes, in hexadecimal in its manual.
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

    /// A sentence that says what to do.
    public var message: String {
        switch self {
        case .fontMissing:
            "No font was found to draw the consent with; install fonts-dejavu-core or name a TrueType font."
        case .fontUnreadable(let path): "The file \(path) is no TrueType font that can be embedded."
        case .signatureUnreadable: "The signature is no readable PNG image; give a PNG of at most 4096 pixels a side."
        case .library(let number):
            "The consent document could not be drawn (error 0x\(String(number, radix: 16)) of the PDF library)."
        }
    }
}
