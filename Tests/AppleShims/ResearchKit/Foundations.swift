import Foundation

// UIKit's types that ResearchKit's properties have.

public enum UIKeyboardType: Int, Sendable {
    case `default` = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress, decimalPad, twitter
    case webSearch, asciiCapableNumberPad
}

public enum UITextAutocapitalizationType: Int, Sendable { case none, words, sentences, allCharacters }

public struct UITextContentType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An image; its bytes stand for the picture.
public final class UIImage: NSObject {
    private let bytes: Data

    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        bytes = data
    }

    public func jpegData(compressionQuality: CGFloat) -> Data? { bytes }
}
