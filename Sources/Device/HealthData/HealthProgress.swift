/// The progress of reading a source.
public struct HealthProgress: Sendable, Hashable {
    /// The number of bytes read; for an archive, compressed bytes.
    public var bytes: Int64
    /// The size of the source in bytes; 0 if it is unknown.
    public var total: Int64
    /// The number of elements read.
    public var elements: Int

    /// Creates a progress value.
    public init(bytes: Int64 = 0, total: Int64 = 0, elements: Int = 0) {
        self.bytes = bytes
        self.total = total
        self.elements = elements
    }
}
