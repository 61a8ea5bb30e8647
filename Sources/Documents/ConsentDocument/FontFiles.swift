import Foundation

/// The TrueType fonts of a document. They are embedded, so that the document looks the same on every system.
public struct FontFiles: Sendable, Hashable {
    /// The path of the font for text.
    public var regular: String
    /// The path of the font for headings; nil uses the font for text.
    public var bold: String?

    public init(regular: String, bold: String? = nil) {
        self.regular = regular
        self.bold = bold
    }

    /// Folders in which systems store DejaVu Sans.
    public static let folders = [
        "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
        "/usr/share/fonts/TTF", "/usr/local/share/fonts/dejavu", "/usr/local/share/fonts",
    ]

    /// Returns DejaVu Sans from the first of the folders that contains it; nil if none does.
    public static func dejaVu(in folders: [String] = folders) -> FontFiles? {
        for folder in folders {
            let regular = folder + "/DejaVuSans.ttf"
            guard FileManager.default.isReadableFile(atPath: regular) else { continue }
            let bold = folder + "/DejaVuSans-Bold.ttf"
            return FontFiles(
                regular: regular, bold: FileManager.default.isReadableFile(atPath: bold) ? bold : nil)
        }
        return nil
    }
}
