/// The limits of the answers that a client reads.
///
/// ```swift
/// let limits = AccountLimits(pages: 100)
/// ```
public struct AccountLimits: Sendable, Hashable {
    /// Maximum bytes of one answer.
    public var answerBytes: Int
    /// Maximum bytes of a photo, of an image of a signature and of a document.
    public var fileBytes: Int
    /// Maximum number of pages of one list.
    public var pages: Int
    /// Maximum bytes of all pages of one list.
    public var listBytes: Int
    /// Maximum seconds of all pages of one list.
    public var listSeconds: Double

    /// Creates limits. The defaults are 64 MiB for an answer, 32 MiB for a file, and 10,000 pages, 256 MiB and 30 minutes
    /// for a list.
    public init(
        answerBytes: Int = 64 << 20, fileBytes: Int = 32 << 20, pages: Int = 10_000, listBytes: Int = 256 << 20,
        listSeconds: Double = 1_800
    ) {
        self.answerBytes = answerBytes
        self.fileBytes = fileBytes
        self.pages = pages
        self.listBytes = listBytes
        self.listSeconds = listSeconds
    }
}
