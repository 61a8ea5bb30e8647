/// The formats of the files of a consent, detected from their first bytes.
public enum ConsentFile: Sendable {
    /// Whether the bytes are those of an image of a signature: JPEG or PNG.
    ///
    /// ```swift
    /// guard ConsentFile.isSignatureImage(bytes) else { throw CMHealthError.userDidNotSign }
    /// ```
    public static func isSignatureImage(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    /// Whether the bytes are those of a document: PDF (ISO 32000-1 section 7.5.2).
    ///
    /// ```swift
    /// guard ConsentFile.isDocument(bytes) else { throw CMHealthError.failedToUploadFile }
    /// ```
    public static func isDocument(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: Array("%PDF-".utf8))
    }
}
