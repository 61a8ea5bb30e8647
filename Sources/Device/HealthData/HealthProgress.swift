/// The progress of reading a source.
public struct HealthProgress: Sendable, Hashable {
    /// The bytes of the source that are read: of an archive, its compressed ones.
    public var bytes: Int64
    /// The size of the source; 0 where it is not known.
    public var total: Int64
    /// The elements read so far.
    public var elements: Int

    /// Makes a progress of so many bytes and elements.
    public init(bytes: Int64 = 0, total: Int64 = 0, elements: Int = 0) {
        self.bytes = bytes
        self.total = total
        self.elements = elements
    }
}
