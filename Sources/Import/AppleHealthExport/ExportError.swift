import Core

/// An error for which an export cannot be converted at all. A file that is cut or damaged on the way is no error: what
/// was read before is converted and the import report says so.
public enum ExportError: CodedError, Hashable {
    /// There is no file or folder at the path, or it cannot be opened.
    case unreadable(errno: Int32)
    /// The file has no bytes.
    case empty
    /// Neither an Apple Health export nor an archive or folder with one in it.
    case notAnExport
    /// The document type declares entities: no export does, and they can be used to harm the reader.
    case entityDeclared
    /// The text is UTF-16 or UTF-32; exports are UTF-8.
    case encoding
    /// The archive unpacks to far more than its size.
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

    /// A sentence that says what to do.
    public var message: String {
        switch self {
        case .unreadable: "The export cannot be opened; check the path and its permissions."
        case .empty: "The export is an empty file; export the health data again."
        case .notAnExport:
            "This is no Apple Health export: give the export.zip, the unpacked folder, or the XML file that begins with HealthData."
        case .entityDeclared:
            "The document type of the file declares entities, which no Apple Health export does; it is refused."
        case .encoding: "The file is not UTF-8; Apple Health exports are."
        case .archiveTooLarge:
            "The archive unpacks to far more data than an export of its size can hold; it is refused."
        case .archiveEncrypted: "The archive is encrypted; unpack it and give the folder."
        }
    }
}
