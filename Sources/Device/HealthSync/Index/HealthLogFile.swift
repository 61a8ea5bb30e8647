/// A file of bytes that grows at its end: the file operations that ``HealthIndexLog`` needs.
public protocol HealthLogFile: Sendable {
    /// Returns the length in bytes; 0 if there is no file.
    func size() throws -> Int
    /// Reads up to `count` bytes from an offset.
    func read(from offset: Int, count: Int) throws -> [UInt8]
    /// Writes bytes at an offset: the end of the file, or an offset before it, where the file is truncated first. The
    /// bytes are durable when the call returns.
    func write(_ bytes: [UInt8], at offset: Int) throws
}
