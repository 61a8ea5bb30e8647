import Core

/// An error because of which an export cannot be converted at all. A truncated or damaged file is not an error: the
/// part that was read is converted, and the import report contains the problem.
public enum ExportError: CodedError, Hashable {
    /// There is no file or folder at the path, or it cannot be opened.
    case unreadable(errno: Int32)
    /// The file is empty.
    case empty
    /// The path is neither an Apple Health export nor an archive or folder that contains one.
    case notAnExport
    /// The document type declares entities. Exports do not, and entities can be used to attack the reader.
    case entityDeclared
    /// The text is UTF-16 or UTF-32; exports are UTF-8.
    case encoding
    /// The archive unpacks to much more data than its size allows.
    case archiveTooLarge
    /// The archive is encrypted.
    case archiveEncrypted

    /// The stable code.
    public var code: String {
        switch self {
        case .unreadable: "export-unreadable"
        case .empty: "export-empty"
        case .notAnExport: "export-not-recognised"
        case .entityDeclared: "export-entity-declared"
        case .encoding: "export-encoding"
        case .archiveTooLarge: "export-archive-too-large"
        case .archiveEncrypted: "export-archive-encrypted"
        }
    }

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .unreadable: "The export cannot be opened; check the path and its permissions."
        case .empty: "The export is an empty file; export the health data again."
        case .notAnExport:
            "This is not an Apple Health export: pass export.zip, its folder, or the XML file that begins with HealthData."
        case .entityDeclared:
            "The document type of the file declares entities, which Apple Health exports never do; the file is refused."
        case .encoding: "The file is not UTF-8; Apple Health exports are."
        case .archiveTooLarge:
            "The archive unpacks to much more data than an export of its size can contain; it is refused."
        case .archiveEncrypted: "The archive is encrypted; unpack it and pass the folder."
        }
    }
}
